package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.operations.RetentionStep.Kind;
import dev.seriatim.operations.RetentionStep.Outcome;
import dev.seriatim.partition.WorkerName;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** How retention goes on, with a database that is away. */
@ExtendWith(OutputCaptureExtension.class)
@Timeout(60)
class RetentionTests {

  private final RetentionTurns turns =
      new RetentionTurns(
          JdbcClient.create(new DriverManagerDataSource("jdbc:postgresql://127.0.0.1:1/nowhere")),
          new WorkerName("a"));

  private record Step(Kind kind, Supplier<Outcome> work) implements RetentionStep {
    @Override
    public Outcome step() {
      return work.get();
    }
  }

  private Retention retention(RetentionStep... steps) {
    return new Retention(List.of(steps), turns, new RetentionMeters(new SimpleMeterRegistry()));
  }

  @Test
  void stopEndsTheThreadAndARoundBetweenTwoSteps() {
    AtomicInteger steps = new AtomicInteger();
    Retention retention =
        retention(
            new Step(
                Kind.EVENTS,
                () -> {
                  steps.incrementAndGet();
                  return Outcome.MORE;
                }));
    retention.start();
    assertThat(retention.isRunning()).isTrue();

    retention.stop();

    assertThat(retention.isRunning()).isFalse();
    retention.round();
    assertThat(steps).hasValue(1);
  }

  @Test
  void stepThatFailsIsSaidOnceAndTheOthersGoOn(CapturedOutput log) {
    AtomicInteger others = new AtomicInteger();
    Retention retention =
        retention(
            new Step(
                Kind.ATTEMPTS,
                () -> {
                  throw new IllegalStateException("broken");
                }),
            new Step(
                Kind.EVENTS,
                () -> others.incrementAndGet() % 3 == 0 ? Outcome.DONE : Outcome.MORE));

    assertThat(retention.round()).isEqualTo(Duration.ofMinutes(1));
    assertThat(retention.round()).isEqualTo(Duration.ofMinutes(1));

    assertThat(others).hasValue(6);
    assertThat(log.getOut()).containsOnlyOnce("Retention of attempts stumbled");
  }

  @Test
  void databaseThatIsAwayIsSaidOnce(CapturedOutput log) {
    Retention retention =
        retention(
            new Step(
                Kind.EVENTS,
                () -> turns.take(Kind.EVENTS).map(turn -> Outcome.DONE).orElseThrow()));

    assertThat(retention.round()).isEqualTo(Duration.ofMinutes(1));
    assertThat(retention.round()).isEqualTo(Duration.ofMinutes(1));

    assertThat(log.getOut())
        .containsOnlyOnce("Retention of events and dead letters failed; trying again: ");
  }
}
