package dev.seriatim;

import dev.seriatim.schema.MigrationRun;
import java.util.Map;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Whether this process is a {@link Pod} or a {@link MigrationJob}, as {@code
 * seriatim.migrations.run} says, wherever it is set.
 */
@Order(Ordered.LOWEST_PRECEDENCE)
final class Purpose implements EnvironmentPostProcessor {

  /** A job has no web server, which is decided before any bean is. */
  @Override
  public void postProcessEnvironment(
      ConfigurableEnvironment environment, SpringApplication application) {
    if (MigrationRun.in(environment) == MigrationRun.ONLY) {
      environment
          .getPropertySources()
          .addFirst(
              new MapPropertySource(
                  "migrations only", Map.of("spring.main.web-application-type", "none")));
    }
  }

  static final class Migrating implements Condition {

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
      return MigrationRun.in(context.getEnvironment()) == MigrationRun.ONLY;
    }
  }

  static final class Serving implements Condition {

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
      return MigrationRun.in(context.getEnvironment()) != MigrationRun.ONLY;
    }
  }
}
