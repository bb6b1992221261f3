package dev.seriatim.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.util.unit.DataSize;

class PublishLimitsTests {

  @Test
  void defaultsAreOneAndSixteenMegabytes() {
    PublishLimits limits =
        new Binder(new MapConfigurationPropertySource(Map.of()))
            .bindOrCreate("seriatim.publish", PublishLimits.class);
    assertThat(limits.payloadBytes()).isEqualTo(1024 * 1024);
    assertThat(limits.batchBytes()).isEqualTo(16 * 1024 * 1024);
  }

  @Test
  void limitsThatDisagreeAreNamed() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new PublishLimits(DataSize.ofMegabytes(2), DataSize.ofMegabytes(1)))
        .withMessageContaining("max-batch-body")
        .withMessageContaining("max-payload");
  }

  @Test
  void limitsOutOfRangeAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new PublishLimits(DataSize.ofBytes(0), DataSize.ofMegabytes(1)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new PublishLimits(DataSize.ofGigabytes(1), DataSize.ofGigabytes(1)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new PublishLimits(DataSize.ofMegabytes(1), DataSize.ofGigabytes(2)));
  }
}
