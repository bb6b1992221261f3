package dev.seriatim.schema;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.flyway.autoconfigure.FlywayConnectionDetails;
import org.springframework.boot.flyway.autoconfigure.FlywayProperties;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/**
 * Gives migrations connections of their own, closed afterwards. The pool's give up on a statement
 * after seconds, as an index over a long history must not, and keep the settings of a session.
 *
 * <p>They ask by the simple protocol. By the extended one the driver leaves a snapshot open until
 * its next question, and an index that is made concurrently would wait for ever for that of the
 * idle transaction that holds Flyway's lock.
 *
 * @param own {@code spring.flyway.url}, {@code user} and {@code password}, each where it is set
 * @param service where the service itself connects, otherwise
 */
record OwnConnectionDetails(FlywayProperties own, JdbcConnectionDetails service)
    implements FlywayConnectionDetails {

  @Override
  public String getJdbcUrl() {
    String url = own.getUrl() == null ? service.getJdbcUrl() : own.getUrl();
    return with(with(url, "preferQueryMode", "simple"), "ApplicationName", "seriatim-migrations");
  }

  /** Unless somebody has set it. */
  private static String with(String url, String parameter, String value) {
    if (url.contains(parameter + "=")) {
      return url;
    }
    return url + (url.contains("?") ? "&" : "?") + parameter + "=" + value;
  }

  @Override
  public @Nullable String getUsername() {
    return own.getUser() == null ? service.getUsername() : own.getUser();
  }

  /** The service's with the service's user only. */
  @Override
  public @Nullable String getPassword() {
    return own.getUser() == null ? service.getPassword() : own.getPassword();
  }
}
