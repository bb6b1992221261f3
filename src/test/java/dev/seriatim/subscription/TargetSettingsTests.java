package dev.seriatim.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class TargetSettingsTests {

  private final ApplicationContextRunner context =
      new ApplicationContextRunner().withUserConfiguration(TargetConfiguration.class);

  @Test
  void nothingIsAllowedByDefault() {
    context.run(
        started ->
            assertThat(
                    started.getBean(TargetGuard.class).permits(InetAddress.ofLiteral("127.0.0.1")))
                .isFalse());
  }

  @Test
  void blocksAreReadFromTheSettings() {
    context
        .withPropertyValues(
            "seriatim.targets.allow=127.0.0.0/8,::1", "seriatim.targets.deny[0]=127.0.0.2")
        .run(
            started -> {
              TargetGuard guard = started.getBean(TargetGuard.class);
              assertThat(guard.permits(InetAddress.ofLiteral("127.0.0.1"))).isTrue();
              assertThat(guard.permits(InetAddress.ofLiteral("::1"))).isTrue();
              assertThat(guard.permits(InetAddress.ofLiteral("127.0.0.2"))).isFalse();
            });
  }

  @Test
  void badBlockStopsTheStartWithASentence() {
    context
        .withPropertyValues("seriatim.targets.deny[0]=10.0.0.0/33")
        .run(
            failed ->
                assertThat(failed)
                    .getFailure()
                    .hasStackTraceContaining("seriatim.targets.deny[0]")
                    .rootCause()
                    .hasMessage("the prefix of 10.0.0.0 must be from 0 to 32, not 33"));
  }

  @Test
  void notABlockIsSaidSo() {
    for (String text : new String[] {"example.com", "10.0.0.0/", "10.0.0.0/x", "", "10.0.0/8"}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Cidr.valueOf(text))
          .withMessage(
              "'%s' is not a block of addresses; write one as 10.0.0.0/8 or fd00::/8", text);
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Cidr.valueOf("10.0.0.1/8"))
        .withMessageContaining("bits set behind its prefix");
  }
}
