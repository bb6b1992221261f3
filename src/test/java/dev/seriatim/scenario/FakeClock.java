package dev.seriatim.scenario;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A wrong clock for a pod, by libfaketime. Through the environment: the program of that name is a
 * parent of the JVM, which would get the signals.
 *
 * <p>The monotonic clock is off by the same constant, which no difference shows. Left alone, every
 * timed wait of the JVM would end at once.
 *
 * @param library what is loaded before the C library
 */
record FakeClock(Path library, String offset) {

  /** Nothing where the library is not installed. */
  static Optional<FakeClock> fiveMinutesAhead() {
    try (Stream<Path> libraries =
        Files.find(
            Path.of("/usr/lib"),
            3,
            (path, attributes) -> path.endsWith(Path.of("faketime", "libfaketimeMT.so.1")))) {
      return libraries.findFirst().map(library -> new FakeClock(library, "+5m"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  PodCommand set(PodCommand pod) {
    return pod.environment("LD_PRELOAD", library.toString()).environment("FAKETIME", offset);
  }
}
