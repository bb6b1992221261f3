package dev.seriatim.schema;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.flyway.autoconfigure.FlywayConnectionDetails;
import org.springframework.boot.flyway.autoconfigure.FlywayProperties;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/**
 * Gives migrations connections of their own, closed afterwards. The pool's give up on a statement
 * after seconds, as an index over a long history must not, and keep the settings of a session.
 *
 * @param own {@code spring.flyway.url}, {@code user} and {@code password}, each where it is set
 * @param service where the service itself connects, otherwise
 */
record OwnConnectionDetails(FlywayProperties own, JdbcConnectionDetails service)
    implements FlywayConnectionDetails {

  @Override
  public String getJdbcUrl() {
    return own.getUrl() == null ? service.getJdbcUrl() : own.getUrl();
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
