package dev.seriatim.development;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Has the start end with that one message instead of a stack trace. */
final class MissingDatabaseFailureAnalyzer
    extends AbstractFailureAnalyzer<MissingDatabaseException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, MissingDatabaseException cause) {
    return new FailureAnalysis(cause.getMessage(), null, rootFailure);
  }
}
