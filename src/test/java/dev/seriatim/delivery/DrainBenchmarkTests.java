package dev.seriatim.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.queue.Delivery;
import dev.seriatim.queue.DeliveryContent;
import dev.seriatim.queue.Exchange;
import dev.seriatim.queue.NewEvent;
import dev.seriatim.queue.Verdict;
import dev.seriatim.subscription.Subscription;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * How much of what the sender alone can do is left when every delivery comes from the queue and its
 * verdict is recorded. {@code ./mvnw -Pbench} runs it; {@code -Dbench.count=} shortens it, {@code
 * -Dbench.settings="--name=value …"} tries settings, {@code -Dbench.only=} picks scenarios by a
 * part of their name. Only ratios within one run say something: machines differ, and neighbours
 * take their share.
 */
@Tag("bench")
class DrainBenchmarkTests {

  private static final int COUNT = Integer.getInteger("bench.count", 200_000);
  private static final String[] SETTINGS =
      System.getProperty("bench.settings", "").isBlank()
          ? new String[0]
          : System.getProperty("bench.settings").split(" ");
  private static final String ONLY = System.getProperty("bench.only", "");
  private static final int KEYS = 1000;
  private static final int MAX_IN_FLIGHT = 64;
  private static final int BATCH = 500;

  private record Row(String scenario, int count, Duration took, CpuTime cpu, double syncMillis) {
    double perSecond() {
      return count / (took.toNanos() / 1e9);
    }

    String micros(Duration all) {
      return "%.0f".formatted(all.toNanos() / 1e3 / count);
    }
  }

  private final List<Row> ceilings = new ArrayList<>();
  private final List<Row> drains = new ArrayList<>();
  private String circumstances = "";

  @Test
  void drainsInOrderAndPrintsHowFast() throws Exception {
    if (!NginxReceiver.installed()) {
      System.out.println("No nginx is installed: a built-in receiver takes its place.");
    }
    send("warm-up", 64, COUNT / 4);
    drain("warm-up", 16, COUNT / 4, new Even());
    ceilings.clear();
    drains.clear();
    for (int threads : new int[] {64, 128, 256}) {
      send("sender alone, %d at once".formatted(threads), threads, COUNT);
    }
    drain("drain, 16 endpoints, even keys", 16, COUNT, new Even());
    drain("drain, 16 endpoints, Zipf keys", 16, COUNT, new Zipf());
    drain("drain, 1 endpoint, even keys", 1, COUNT, new Even());
    drain("drain, 1 endpoint, Zipf keys", 1, COUNT, new Zipf());
    print();
  }

  /** Composes, signs and sends, and does nothing else. */
  private void send(String scenario, int threads, int count) throws Exception {
    try (BenchReceiver receiver = BenchReceiver.start();
        BenchPod pod = new BenchPod(SETTINGS)) {
      Subscription subscription = pod.subscribe("bench-0", "*", receiver.url("/0"), MAX_IN_FLIGHT);
      NewEvent event = BenchPod.event("evt", "bench.0", "key");
      WebhookSender sender = pod.bean(WebhookSender.class);
      AtomicInteger next = new AtomicInteger();
      AtomicInteger failed = new AtomicInteger();
      CpuTime cpu = pod.cpuTime();
      long start = System.nanoTime();
      List<Thread> senders = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        senders.add(
            Thread.startVirtualThread(
                () -> {
                  for (int n = next.getAndIncrement(); n < count; n = next.getAndIncrement()) {
                    if (!delivered(sender, subscription, event, n)) {
                      failed.incrementAndGet();
                    }
                  }
                }));
      }
      for (Thread thread : senders) {
        thread.join();
      }
      Duration took = Duration.ofNanos(System.nanoTime() - start);
      cpu = pod.cpuTime().since(cpu);
      assertThat(failed).hasValue(0);
      assertThat(receiver.stop()).hasSize(count);
      ceilings.add(new Row(scenario, count, took, cpu, 0));
      circumstances =
          "%s · %s · heap %d MiB · %d cores · PostgreSQL %s, fsync %s, synchronous_commit %s"
              .formatted(
                  receiver.name(),
                  "Java " + Runtime.version().feature(),
                  Runtime.getRuntime().maxMemory() >> 20,
                  Runtime.getRuntime().availableProcessors(),
                  pod.serverSetting("server_version"),
                  pod.serverSetting("fsync"),
                  pod.serverSetting("synchronous_commit"));
    }
  }

  private static boolean delivered(
      WebhookSender sender, Subscription subscription, NewEvent event, int number) {
    Delivery delivery =
        new Delivery(1, number, 1, number + 1L, 1, subscription.pk(), 0, 0, null, null, null, null);
    DeliveryContent content =
        new DeliveryContent(
            event.id() + number,
            event.type(),
            event.contentType(),
            event.resource(),
            event.payload(),
            null);
    try {
      Exchange exchange =
          sender.send(
              WebhookComposer.compose(subscription, delivery, content, 1, Instant.now(), null),
              System.nanoTime(),
              new Permit(() -> true));
      return exchange.verdict() instanceof Verdict.Delivered;
    } catch (InterruptedException e) {
      return false;
    }
  }

  /** Fills the queue, then drains it, then looks at what the receiver got. */
  private void drain(String scenario, int endpoints, int count, IntSupplier keys) throws Exception {
    if (!scenario.equals("warm-up") && !scenario.contains(ONLY)) {
      return;
    }
    try (BenchReceiver receiver = BenchReceiver.start();
        BenchPod pod = new BenchPod(SETTINGS)) {
      for (int i = 0; i < endpoints; i++) {
        pod.subscribe("bench-" + i, "bench." + i, receiver.url("/" + i), MAX_IN_FLIGHT);
      }
      Map<String, Long> published = new HashMap<>();
      List<NewEvent> batch = new ArrayList<>(BATCH);
      for (int n = 1; n <= count; n++) {
        int key = keys.getAsInt();
        int endpoint = key % endpoints;
        batch.add(BenchPod.event("evt_" + n, "bench." + endpoint, "key-" + key));
        published.merge("/" + endpoint + " key-" + key, 1L, Long::sum);
        if (batch.size() == BATCH || n == count) {
          pod.publish(batch);
          batch.clear();
        }
      }
      CpuTime cpu = pod.cpuTime();
      double syncBefore = medianSyncMillis();
      Duration took = pod.drain();
      cpu = pod.cpuTime().since(cpu);
      double sync = (syncBefore + medianSyncMillis()) / 2;
      inOrder(published, receiver.stop());
      drains.add(new Row(scenario, count, took, cpu, sync));
    }
  }

  /** As the receiver saw it: every lane 1, 2, 3 … n, and nothing besides. */
  private static void inOrder(Map<String, Long> published, List<BenchReceiver.Arrival> arrivals) {
    Map<String, Long> last = new HashMap<>();
    for (BenchReceiver.Arrival arrival : arrivals) {
      String lane = arrival.path() + " " + arrival.key();
      assertThat(arrival.sequence()).as(lane).isEqualTo(last.getOrDefault(lane, 0L) + 1);
      last.put(lane, arrival.sequence());
    }
    assertThat(last).isEqualTo(published);
  }

  private void print() {
    double ceiling = ceilings.stream().mapToDouble(Row::perSecond).max().orElseThrow();
    StringBuilder table = new StringBuilder("\n");
    String line = "| %-30s | %7s | %7s | %10s | %14s | %10s | %13s | %8s | %8s |%n";
    table.append(
        line.formatted(
            "scenario",
            "count",
            "seconds",
            "per second",
            "of the ceiling",
            "µs service",
            "µs PostgreSQL",
            "µs nginx",
            "ms fsync"));
    table.append("|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (List<Row> rows : List.of(ceilings, drains)) {
      for (Row row : rows) {
        table.append(
            line.formatted(
                row.scenario(),
                "%,d".formatted(row.count()),
                "%.1f".formatted(row.took().toNanos() / 1e9),
                "%,.0f".formatted(row.perSecond()),
                "%.2f".formatted(row.perSecond() / ceiling),
                row.micros(row.cpu().service()),
                row.micros(row.cpu().postgres()),
                row.micros(row.cpu().nginx()),
                row.syncMillis() == 0 ? "" : "%.2f".formatted(row.syncMillis())));
      }
    }
    table.append('\n').append(circumstances).append('\n');
    table.append(
        "µs: processor time per delivery. ms fsync: what one takes, before and after. Order verified from the receiver's log: every key 1, 2, 3 … without gap or repeat.\n");
    System.out.println(table);
  }

  /**
   * What a commit cannot be quicker than. Neighbours on the disk move it, so it is measured beside
   * each drain.
   */
  private static double medianSyncMillis() throws Exception {
    Path file = Files.createTempFile("seriatim-sync", ".bin");
    long[] took = new long[101];
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      ByteBuffer page = ByteBuffer.wrap("x".repeat(8192).getBytes(StandardCharsets.US_ASCII));
      for (int i = 0; i < took.length; i++) {
        long start = System.nanoTime();
        channel.write(page.rewind(), 0);
        channel.force(false);
        took[i] = System.nanoTime() - start;
      }
    } finally {
      Files.delete(file);
    }
    Arrays.sort(took);
    return took[took.length / 2] / 1e6;
  }

  private static final class Even implements IntSupplier {
    private int next;

    @Override
    public int getAsInt() {
      return next++ % KEYS;
    }
  }

  /** The n-th key is 1/n as frequent as the first one, which so gets about an eighth of all. */
  private static final class Zipf implements IntSupplier {
    private final Random random = new Random(1);
    private final double[] upTo = new double[KEYS];

    Zipf() {
      double sum = 0;
      for (int key = 0; key < KEYS; key++) {
        sum += 1.0 / (key + 1);
        upTo[key] = sum;
      }
    }

    @Override
    public int getAsInt() {
      int found = Arrays.binarySearch(upTo, random.nextDouble() * upTo[KEYS - 1]);
      return Math.min(KEYS - 1, found < 0 ? -found - 1 : found);
    }
  }
}
