package dev.seriatim.scenario;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.util.FileSystemUtils;

/**
 * What the container image holds, as a folder: {@code java}, a runtime made of this JDK, and {@code
 * application}, the packaged jar unpacked by its own tool, with the options and the AOT cache that
 * it is started with. Pods of tests are started out of it as a container would be, and the build's
 * profile {@code image} makes the image's layers of it. Kept until the jar or the options change.
 *
 * <p>A cache is good for the very runtime and the very jars, by size and time, that it was made
 * with. So the image brings its own runtime, and all files have the time that Jib gives them.
 */
final class PodImage {

  /** All of Java SE, and of the JDK what its makers put into a runtime without its tools. */
  private static final String MODULES =
      "java.se,jdk.charsets,jdk.crypto.cryptoki,jdk.crypto.ec,jdk.httpserver,jdk.jcmd,jdk.jfr"
          + ",jdk.localedata,jdk.management,jdk.management.agent,jdk.naming.dns,jdk.net"
          + ",jdk.security.auth,jdk.security.jgss,jdk.unsupported,jdk.xml.dom,jdk.zipfs";

  private static final Path OPTIONS = Path.of("src", "image", "java.options");
  private static final String CACHE = "seriatim.aot";
  private static final String JAR = "seriatim.jar";
  private static final FileTime TIME = FileTime.from(Instant.ofEpochSecond(1));

  private final Path folder;

  private PodImage(Path folder) {
    this.folder = folder.toAbsolutePath();
  }

  /**
   * Makes the image's folder, beside the jar.
   *
   * @param arguments the packaged jar
   */
  public static void main(String[] arguments) {
    IO.println("The image is of " + of(Path.of(arguments[0])).folder);
    // PostgreSQL's own threads would keep the JVM alive.
    System.exit(0);
  }

  /** Makes it if need be, which takes half a minute on two cores. */
  static PodImage of(Path packaged) {
    PodImage image = new PodImage(packaged.resolveSibling("image"));
    try {
      String made =
          "%s %d\n%s"
              .formatted(
                  Files.getLastModifiedTime(packaged),
                  Files.size(packaged),
                  Files.readString(OPTIONS));
      Path note = image.folder.resolve("made-of");
      if (!Files.exists(note) || !Files.readString(note).equals(made)) {
        FileSystemUtils.deleteRecursively(image.folder);
        image.make(packaged);
        Files.writeString(note, made);
      }
      return image;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The program that runs Java in it. */
  Path java() {
    return folder.resolve("java").resolve("bin").resolve("java");
  }

  /** The working directory. */
  Path application() {
    return folder.resolve("application");
  }

  /** What makes a JVM of any size start quickly, and the jar. */
  static List<String> options() {
    return List.of("-XX:+UseCompactObjectHeaders", "-XX:AOTCache=" + CACHE, "-jar", JAR);
  }

  private void make(Path packaged) throws IOException {
    Files.createDirectories(folder);
    Path jar = Files.copy(packaged, folder.resolve(JAR));
    Shell.run(
        "%s -Djarmode=tools -jar %s extract --destination %s"
            .formatted(PodCommand.java(), jar, application()));
    Files.delete(jar);
    Files.copy(OPTIONS, application().resolve(OPTIONS.getFileName()));
    Shell.run(
        "%s --add-modules %s --strip-java-debug-attributes --no-header-files --no-man-pages --output %s"
            .formatted(
                Path.of(PodCommand.java()).resolveSibling("jlink"),
                MODULES,
                folder.resolve("java")));
    date(folder);
    new TrainingRun(java(), application(), trainingOptions()).run();
    date(application().resolve(CACHE));
  }

  private List<String> trainingOptions() throws IOException {
    List<String> options =
        Files.readAllLines(OPTIONS).stream()
            .filter(line -> line.startsWith("-"))
            .map(line -> line.replace("-XX:AOTCache=", "-XX:AOTCacheOutput="))
            .toList();
    // Thousands of lines about classes that cannot be kept.
    return Stream.concat(options.stream(), Stream.of("-Xlog:aot=error", "-jar", JAR)).toList();
  }

  private static void date(Path files) throws IOException {
    try (Stream<Path> all = Files.walk(files)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        Files.setLastModifiedTime(file, TIME);
      }
    }
  }
}
