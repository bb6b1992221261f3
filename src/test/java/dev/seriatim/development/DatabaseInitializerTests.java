package dev.seriatim.development;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.mock.env.MockEnvironment;

class DatabaseInitializerTests {

  private final MockEnvironment environment = new MockEnvironment();
  private final GenericApplicationContext context = new GenericApplicationContext();

  DatabaseInitializerTests() {
    context.setEnvironment(environment);
    context.setClassLoader(new FilteredClassLoader("io.zonky"));
  }

  @Test
  void namedDatabaseIsLeftAlone() {
    environment.setProperty("spring.datasource.url", "jdbc:postgresql://db/seriatim");

    new DatabaseInitializer().initialize(context);

    assertThat(environment.getProperty("spring.datasource.url"))
        .isEqualTo("jdbc:postgresql://db/seriatim");
    assertThat(environment.getProperty("spring.datasource.username")).isNull();
  }

  @Test
  void packagedServiceWithoutDatabaseSaysWhatToSet() {
    assertThatThrownBy(() -> new DatabaseInitializer().initialize(context))
        .isInstanceOf(MissingDatabaseException.class)
        .hasMessageStartingWith("Seriatim needs a database, PostgreSQL 15 or newer: set")
        .hasMessageContaining("SPRING_DATASOURCE_URL");
  }

  @Test
  void emptyAddressCountsAsNone() {
    environment.setProperty("spring.datasource.url", " ");

    assertThatThrownBy(() -> new DatabaseInitializer().initialize(context))
        .isInstanceOf(MissingDatabaseException.class);
  }

  @Test
  void startEndsWithThatSentenceAlone() {
    FailureAnalysis analysis =
        new MissingDatabaseFailureAnalyzer()
            .analyze(new IllegalStateException(), new MissingDatabaseException("Set it."));

    assertThat(analysis.getDescription()).isEqualTo("Set it.");
    assertThat(analysis.getAction()).isNull();
  }
}
