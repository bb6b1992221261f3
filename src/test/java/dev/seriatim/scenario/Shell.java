package dev.seriatim.scenario;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Runs commands of the machine that are over at once. */
final class Shell {

  private Shell() {}

  /**
   * @throws IllegalStateException with what the command printed, when it fails
   */
  static void run(String command) {
    failure(command)
        .ifPresent(
            output -> {
              throw new IllegalStateException(command + " failed: " + output);
            });
  }

  static boolean succeeds(String command) {
    return failure(command).isEmpty();
  }

  private static Optional<String> failure(String command) {
    try {
      Process process = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return process.waitFor() == 0 ? Optional.empty() : Optional.of(output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
