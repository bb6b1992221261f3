package dev.seriatim.development;

import java.nio.file.Path;
import java.util.Map;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.util.ClassUtils;

/**
 * Gives a start that names no database the embedded PostgreSQL, where its libraries are: on a
 * developer's machine, not in the packaged jar. There, the start ends with a sentence that says
 * what is missing.
 *
 * <p>An initializer, and the last one, so that every source of {@code spring.datasource.url} has
 * spoken and no bean exists yet. The server stops after the application's beans: drainers can
 * settle what they have in flight.
 */
@Order(Ordered.LOWEST_PRECEDENCE)
final class DatabaseInitializer
    implements ApplicationContextInitializer<ConfigurableApplicationContext> {

  private static final Log log = LogFactory.getLog(DatabaseInitializer.class);

  private static final String URL = "spring.datasource.url";
  private static final Path FOLDER = Path.of(".seriatim");

  @Override
  public void initialize(ConfigurableApplicationContext context) {
    ConfigurableEnvironment environment = context.getEnvironment();
    String url = environment.getProperty(URL, "");
    if (url.isBlank()) {
      environment
          .getPropertySources()
          .addFirst(new MapPropertySource("embedded PostgreSQL", start(context.getClassLoader())));
    }
  }

  private static Map<String, Object> start(@Nullable ClassLoader classes) {
    // EmbeddedDatabase must not be touched before this check: it cannot be loaded without them.
    if (!ClassUtils.isPresent("io.zonky.test.db.postgres.embedded.EmbeddedPostgres", classes)) {
      throw new MissingDatabaseException(
          "Seriatim needs a database, PostgreSQL 15 or newer: set spring.datasource.url"
              + " (SPRING_DATASOURCE_URL), for example to jdbc:postgresql://localhost:5432/seriatim,"
              + " and spring.datasource.username and spring.datasource.password.");
    }
    EmbeddedDatabase database = EmbeddedDatabase.start(FOLDER);
    SpringApplication.getShutdownHandlers().add(database::close);
    log.info(
        "No spring.datasource.url is set: using an embedded PostgreSQL, "
            + database.url()
            + ", kept between runs in "
            + FOLDER.toAbsolutePath());
    return Map.of(URL, database.url(), "spring.datasource.username", EmbeddedDatabase.USER);
  }
}
