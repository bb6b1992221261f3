package dev.seriatim.schema;

import org.flywaydb.core.api.callback.Callback;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.flyway.autoconfigure.FlywayConnectionDetails;
import org.springframework.boot.flyway.autoconfigure.FlywayMigrationStrategy;
import org.springframework.boot.flyway.autoconfigure.FlywayProperties;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What Spring Boot's Flyway works with; of a pod, and of a process that only migrates. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(MigrationSettings.class)
public class SchemaConfiguration {

  @Bean
  FlywayMigrationStrategy migrations(MigrationSettings settings) {
    return new Migrations(settings);
  }

  @Bean
  Callback migrationLocks(MigrationSettings settings) {
    return new MigrationLocks(settings.lockTimeout());
  }

  @Bean
  FlywayConnectionDetails migrationConnections(
      FlywayProperties properties, JdbcConnectionDetails details) {
    return new OwnConnectionDetails(properties, details);
  }
}
