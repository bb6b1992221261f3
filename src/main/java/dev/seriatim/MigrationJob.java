package dev.seriatim;

import dev.seriatim.schema.SchemaConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;

/** What brings the tables up to date, and nothing that would keep the process from ending. */
@ImportAutoConfiguration({DataSourceAutoConfiguration.class, FlywayAutoConfiguration.class})
@Import(SchemaConfiguration.class)
@Conditional(Purpose.Migrating.class)
class MigrationJob {}
