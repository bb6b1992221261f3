package dev.seriatim.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.mock.env.MockEnvironment;

class MigrationSettingsTests {

  @Test
  void podsMigrateUnlessTheyAreToldOtherwise() {
    assertThat(MigrationRun.in(new MockEnvironment())).isEqualTo(MigrationRun.AT_START);
    assertThat(in("only")).isEqualTo(MigrationRun.ONLY);
    assertThat(in("never")).isEqualTo(MigrationRun.NEVER);
    assertThat(in("AT_START")).isEqualTo(MigrationRun.AT_START);
  }

  @Test
  void anythingElseIsRefusedByName() {
    assertThatThrownBy(() -> in("sometimes"))
        .isInstanceOf(BindException.class)
        .hasMessageContaining("seriatim.migrations.run");
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "PT0.0000001S", "PT-1S", "PT10.001S"})
  void waitForALockIsBounded(Duration wait) {
    assertThatThrownBy(() -> new MigrationSettings(MigrationRun.AT_START, wait))
        .hasMessageContaining("seriatim.migrations.lock-timeout (" + wait + ") must be from")
        .hasMessageContaining("PT10S");
  }

  private static MigrationRun in(String value) {
    return MigrationRun.in(new MockEnvironment().withProperty("seriatim.migrations.run", value));
  }
}
