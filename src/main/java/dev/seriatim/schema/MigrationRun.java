package dev.seriatim.schema;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/** When a process brings the tables up to date. */
public enum MigrationRun {
  /** Before it serves. Any number may start at once: each migration is made by one of them. */
  AT_START,
  /** And does nothing else: it ends with 0, or with 1 if a migration failed. */
  ONLY,
  /**
   * Others do. It changes no table's definition and refuses to start on tables that are older than
   * it needs.
   */
  NEVER;

  static final String PROPERTY = "seriatim.migrations.run";

  /**
   * What is set there, {@link #AT_START} by default.
   *
   * @throws org.springframework.boot.context.properties.bind.BindException if it is none of these
   */
  public static MigrationRun in(Environment environment) {
    return Binder.get(environment).bind(PROPERTY, MigrationRun.class).orElse(AT_START);
  }
}
