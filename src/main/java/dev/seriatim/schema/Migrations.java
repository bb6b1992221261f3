package dev.seriatim.schema;

import java.sql.SQLException;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationInfoService;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.flyway.autoconfigure.FlywayMigrationStrategy;

/**
 * Makes the migrations that are missing, or checks that none is. Blocks, before anything else of
 * the service touches the database.
 *
 * <p>Flyway makes one migration at a time, in one transaction with the row of its history, under an
 * advisory lock for which other pods wait: a process that dies has made a migration or has not.
 * Tables that are newer than this version are no obstacle: they serve the previous release as well
 * (ADR 16).
 */
final class Migrations implements FlywayMigrationStrategy {

  private static final Logger log = LoggerFactory.getLogger(Migrations.class);

  // SQLSTATEs of PostgreSQL's appendix A.
  private static final String LOCK_NOT_AVAILABLE = "55P03";
  private static final String DEADLOCK_DETECTED = "40P01";
  private static final String INSUFFICIENT_PRIVILEGE = "42501";

  private final MigrationSettings settings;

  Migrations(MigrationSettings settings) {
    this.settings = settings;
  }

  /**
   * @throws SchemaRefusedException when the tables are not as needed, and stay so
   */
  @Override
  public void migrate(Flyway flyway) {
    switch (settings.run()) {
      case AT_START -> make(flyway);
      case ONLY -> {
        make(flyway);
        log.info("The tables are at version {}", current(flyway.info()));
      }
      case NEVER -> check(flyway);
    }
  }

  private void make(Flyway flyway) {
    try {
      flyway.migrate();
    } catch (FlywayException failure) {
      throw refusal(flyway, failure);
    }
  }

  private RuntimeException refusal(Flyway flyway, FlywayException failure) {
    SQLException cause = cause(failure);
    if (cause == null) {
      return failure;
    }
    return switch (String.valueOf(cause.getSQLState())) {
      case LOCK_NOT_AVAILABLE, DEADLOCK_DETECTED ->
          new SchemaRefusedException(
              "The migration to version %s did not get a lock within %s (seriatim.migrations.lock-timeout), which a long query, a backup or a vacuum may hold, and gave up, so that nobody waits behind it. It changed nothing: start again, at the latest when that has ended"
                  .formatted(next(flyway.info()), settings.lockTimeout()),
              failure);
      case INSUFFICIENT_PRIVILEGE ->
          new SchemaRefusedException(
              "This database's user must not make the migration to version %s: %s. Have the tables' owner make it, by seriatim.migrations.run=only, and set seriatim.migrations.run=never here; or set spring.flyway.user and spring.flyway.password to the owner's"
                  .formatted(next(flyway.info()), cause.getMessage()),
              failure);
      default -> failure;
    };
  }

  private static void check(Flyway flyway) {
    MigrationInfoService info = flyway.info();
    MigrationInfo[] pending = info.pending();
    if (pending.length > 0) {
      throw new SchemaRefusedException(
          "The tables of this database are at version %s, this version of Seriatim needs %s, and seriatim.migrations.run=never leaves that to others: have them migrated first, by seriatim.migrations.run=only as their owner, then start again"
              .formatted(current(info), pending[pending.length - 1].getVersion()),
          null);
    }
    flyway.validate();
  }

  private static String current(MigrationInfoService info) {
    MigrationInfo current = info.current();
    return current == null ? "0" : String.valueOf(current.getVersion());
  }

  private static String next(MigrationInfoService info) {
    MigrationInfo[] pending = info.pending();
    return pending.length == 0 ? current(info) : String.valueOf(pending[0].getVersion());
  }

  private static @Nullable SQLException cause(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException sql) {
        return sql;
      }
    }
    return null;
  }
}
