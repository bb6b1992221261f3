package dev.seriatim;

import dev.seriatim.partition.GracePeriodTooShortException;
import dev.seriatim.partition.LeaseTooShortException;
import dev.seriatim.partition.TopologyMismatchException;
import dev.seriatim.queue.PoolTooSmallException;
import dev.seriatim.schema.SchemaRefusedException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Has a start that contradicting settings or tables of another version forbid end with the one
 * sentence, which says what to change, instead of a stack trace.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class RefusedStartAnalyzer implements FailureAnalyzer {

  @Override
  public @Nullable FailureAnalysis analyze(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof TopologyMismatchException
          || cause instanceof LeaseTooShortException
          || cause instanceof GracePeriodTooShortException
          || cause instanceof PoolTooSmallException
          || cause instanceof SchemaRefusedException) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), null, cause);
      }
    }
    return null;
  }
}
