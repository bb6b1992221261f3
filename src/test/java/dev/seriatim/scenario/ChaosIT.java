package dev.seriatim.scenario;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Faults at random for a given time: {@code ./mvnw verify -Pchaos -Dchaos.minutes=10
 * -Dchaos.seed=42}. Without a seed each run has another one.
 */
@Tag("chaos")
class ChaosIT {

  private static final int FEWEST = 2;

  /** The database may be away for a minute, and whoever is back from the dead takes a while. */
  private static final Duration SILENCE = Duration.ofMinutes(3);

  @Test
  void nothingThatHappensBreaksThePromise() throws Exception {
    long seed = Long.getLong("chaos.seed", System.nanoTime() % 1_000_000);
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(Long.getLong("chaos.minutes", 10));
    Tally all = Tally.none("all of it, seed " + seed);
    try (FaultRun run = new FaultRun(seed, FEWEST + 1)) {
      Chaos chaos = new Chaos(run.cluster, seed);
      IO.println(Tally.HEAD);
      for (int round = 1; end - System.nanoTime() > 0; round++) {
        all = all.plus(run.during("round " + round, () -> allowance(chaos), chaos::round));
        IO.println("    " + chaos.story());
        if (run.cluster.pods().size() < FEWEST) {
          run.cluster.resize(FEWEST);
        }
      }
    }
    IO.println(Tally.HEAD);
    IO.println(all);
  }

  private static Allowance allowance(Chaos chaos) {
    return Allowance.crash(SILENCE)
        .crashes(chaos.crashes())
        .warning(FaultsIT.DATABASE_AWAY + "|" + FaultsIT.REPLACED);
  }
}
