package dev.seriatim.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.delivery.FailurePolicy.Decision;
import dev.seriatim.queue.Verdict;
import dev.seriatim.queue.VerdictCode;
import dev.seriatim.subscription.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

class RetryAfterTests {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  @ParameterizedTest
  @MethodSource
  void waitMatchesTheVector(JsonNode vector) {
    Duration own = Duration.ofSeconds(vector.get("own").longValue());
    RetryPolicy policy = new RetryPolicy(9, own, 1, own, 0, Duration.ofDays(3));
    Duration hint = RetryAfter.parse(vector.get("header").stringValue(), NOW);

    Decision decision =
        FailurePolicy.decide(
            policy, 1, Duration.ZERO, new Verdict.Failed(VerdictCode.SERVER_ERROR, 503, hint), 0.5);

    long delay = vector.get("delay").longValue();
    assertThat(decision)
        .isEqualTo(
            new Decision.RetryIn(Duration.ofSeconds(delay), delay > vector.get("own").longValue()));
  }

  static Stream<JsonNode> waitMatchesTheVector() {
    return Vectors.read("retry-after.json", "cases");
  }

  @Test
  void missingAndForeignDigitsAreNoHint() {
    assertThat(RetryAfter.parse(null, NOW)).isNull();
    assertThat(RetryAfter.parse("\u0661\u0662", NOW)).isNull();
    assertThat(RetryAfter.parse("  ", NOW)).isNull();
    assertThat(RetryAfter.parse("Thu, 32 Jan 2026 00:02:00 GMT", NOW)).isNull();
  }

  @Test
  void endlessDigitsAndFarDatesSaturate() {
    assertThat(RetryAfter.parse("9".repeat(8000), NOW)).isGreaterThan(FailurePolicy.MAX_HINT);
    assertThat(RetryAfter.parse("0".repeat(50) + "7", NOW)).isEqualTo(Duration.ofSeconds(7));
    assertThat(RetryAfter.parse("Fri, 31 Dec 9999 23:59:59 GMT", NOW))
        .isGreaterThan(FailurePolicy.MAX_HINT);
  }
}
