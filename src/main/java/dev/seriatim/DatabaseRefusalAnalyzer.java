package dev.seriatim;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Says in one sentence that the start found no database, and why, instead of showing the causes of
 * causes that the pool and the migration wrap around it. Knows the cases by SQLSTATE (PostgreSQL's
 * appendix A).
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class DatabaseRefusalAnalyzer implements FailureAnalyzer {

  private static final String URL = "spring.datasource.url";

  private final Environment environment;

  DatabaseRefusalAnalyzer(Environment environment) {
    this.environment = environment;
  }

  @Override
  public @Nullable FailureAnalysis analyze(Throwable failure) {
    FailureAnalysis found = null;
    // The last one is nearest to the database: the pool repeats its SQLSTATE in words of its own.
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException refusal) {
        FailureAnalysis analysis = analyze(refusal);
        found = analysis == null ? found : analysis;
      }
    }
    return found;
  }

  private @Nullable FailureAnalysis analyze(SQLException refusal) {
    String state = String.valueOf(refusal.getSQLState());
    if (state.startsWith("08")) {
      return analysis(
          "Cannot reach the database at",
          refusal,
          "Start the database, or correct " + URL + " (SPRING_DATASOURCE_URL).");
    }
    if (state.startsWith("28")) {
      return analysis(
          "No login to the database at",
          refusal,
          "Correct spring.datasource.username and spring.datasource.password, or let this user in.");
    }
    if (state.equals("3D000")) {
      return analysis(
          "No such database:",
          refusal,
          "Create it, owned by the user of the service, or correct " + URL + ".");
    }
    return null;
  }

  private FailureAnalysis analysis(String fault, SQLException refusal, String remedy) {
    Throwable cause = refusal.getCause();
    return new FailureAnalysis(
        "%s %s %s: %s%s"
            .formatted(
                fault,
                URL,
                address(),
                refusal.getMessage(),
                cause == null ? "" : " (" + cause + ")"),
        remedy,
        refusal);
  }

  /** Without what follows the database's name: a password may be among the parameters. */
  private String address() {
    return environment.getProperty(URL, "").split("\\?", 2)[0];
  }
}
