package dev.seriatim.scenario;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.springframework.util.FileSystemUtils;

/**
 * The packaged jar unpacked by its own tool, as its documentation advises for containers, with an
 * archive of the classes that a start loads: a pod then starts in less than half the time. Kept
 * beside the jar until that changes.
 */
final class PodImage {

  private final Path jar;
  private final Path archive;

  private PodImage(Path jar, Path archive) {
    this.jar = jar;
    this.archive = archive;
  }

  /** Unpacks if need be. */
  static PodImage of(Path packaged) {
    try {
      Path folder =
          packaged.resolveSibling("pod-" + Files.getLastModifiedTime(packaged).toMillis());
      PodImage image =
          new PodImage(folder.resolve(packaged.getFileName()), folder.resolve("classes.jsa"));
      if (!Files.exists(image.jar)) {
        FileSystemUtils.deleteRecursively(folder);
        Shell.run(
            "%s -Djarmode=tools -jar %s extract --destination %s"
                .formatted(PodCommand.java(), packaged, folder));
      }
      return image;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Options with which the JVM runs it. */
  List<String> options() {
    String use = Files.exists(archive) ? "-XX:SharedArchiveFile=" : "-XX:ArchiveClassesAtExit=";
    return List.of(use + archive, "-Xlog:cds=off", "-Xlog:cds+dynamic=off", "-jar", jar.toString());
  }

  /** Whether a run to its end has left the archive. */
  boolean trained() {
    return Files.exists(archive);
  }
}
