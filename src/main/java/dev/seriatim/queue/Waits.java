package dev.seriatim.queue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Waits for the result of a group commit as if the work had been done by the caller itself. */
final class Waits {

  private Waits() {}

  /** Blocks; a failure of the work is thrown as it is. */
  static <R> R join(CompletableFuture<R> result) {
    try {
      return result.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw e;
    }
  }
}
