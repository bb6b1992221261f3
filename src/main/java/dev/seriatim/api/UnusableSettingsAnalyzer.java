package dev.seriatim.api;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Shows the sentence instead of a stack trace. First of all analyzers, because Boot's own would
 * explain the binding around it.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class UnusableSettingsAnalyzer extends AbstractFailureAnalyzer<UnusableSettingsException> {

  @Override
  protected FailureAnalysis analyze(Throwable root, UnusableSettingsException cause) {
    return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.remedy(), cause);
  }
}
