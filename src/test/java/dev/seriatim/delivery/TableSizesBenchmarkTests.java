package dev.seriatim.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.queue.NewEvent;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What a row takes on disk, indexes and overhead included, for the sizing table of postgresql.md.
 * {@code ./mvnw -Pbench -Dtest=TableSizesBenchmarkTests} runs it alone.
 */
@Tag("bench")
class TableSizesBenchmarkTests {

  private static final int COUNT = 100_000;
  private static final int KEYS = 10_000;
  private static final int BATCH = 500;

  @Test
  void printsWhatRowsTake() throws Exception {
    try (BenchReceiver receiver = BenchReceiver.start();
        BenchPod pod = new BenchPod()) {
      pod.subscribe("bench-0", "*", receiver.url("/0"), 64);
      long walBefore = pod.walBytes();
      List<NewEvent> batch = new ArrayList<>(BATCH);
      for (int n = 1; n <= COUNT; n++) {
        batch.add(BenchPod.event("evt_" + n, "bench.0", "key-" + n % KEYS));
        if (batch.size() == BATCH) {
          pod.publish(batch);
          batch.clear();
        }
      }
      long walPublished = pod.walBytes();
      print("payload of an event", BenchPod.event("", "", "").payload().length);
      print("event", pod.bytes("event") / COUNT);
      print("queued delivery", pod.bytes("delivery") / COUNT);
      print("lane", pod.bytes("lane") / KEYS);
      print("WAL, publishing an event with one delivery", (walPublished - walBefore) / COUNT);

      pod.drain();

      long walDrained = pod.walBytes();
      assertThat(receiver.stop()).hasSize(COUNT);
      print("attempt", pod.bytes("attempt") / COUNT);
      print("lane, after all was delivered", pod.bytes("lane") / KEYS);
      print("WAL, settling a delivery", (walDrained - walPublished) / COUNT);
      print("delivery, all settled, not yet vacuumed", pod.bytes("delivery") / COUNT);
    }
  }

  private static void print(String what, long bytes) {
    System.out.printf("%-45s %,8d bytes%n", what, bytes);
  }
}
