package dev.seriatim.development;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Somebody's endpoint, as slow and flaky as real ones: on a free port of this machine it checks
 * each webhook, enters it into the ledger, works on it for some milliseconds, and refuses one in
 * seven at first, once or twice.
 *
 * <p>Starts before the service sends anything and stops after it has stopped sending.
 */
final class DemoReceiver implements SmartLifecycle {

  private static final Log log = LogFactory.getLog(DemoReceiver.class);
  private static final int FLAKY = 7;
  private static final int LONGEST_WORK_MILLIS = 30;

  private final WebhookCheck check;
  private final OrderLedger ledger;
  private @Nullable Running running;

  private record Running(
      HttpServer server, ExecutorService threads, ScheduledExecutorService answers) {}

  DemoReceiver(WebhookCheck check, OrderLedger ledger) {
    this.check = check;
    this.ledger = ledger;
  }

  @Override
  public void start() {
    try {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
      ScheduledExecutorService answers =
          Executors.newSingleThreadScheduledExecutor(
              Thread.ofPlatform().name("demo-answers").daemon().factory());
      server.setExecutor(threads);
      server.createContext("/orders", exchange -> receive(exchange, answers));
      server.start();
      running = new Running(server, threads, answers);
    } catch (IOException e) {
      throw new UncheckedIOException("The demo's receiver cannot listen", e);
    }
  }

  @Override
  public void stop() {
    if (running != null) {
      running.server().stop(0);
      running.threads().shutdown();
      running.answers().shutdown();
      running = null;
    }
  }

  @Override
  public boolean isRunning() {
    return running != null;
  }

  /** Below the phase of the leases: while partitions are drained, answers still come. */
  @Override
  public int getPhase() {
    return SmartLifecycle.DEFAULT_PHASE - 16_384;
  }

  /** Where webhooks go. */
  String url() {
    if (running == null) {
      throw new IllegalStateException("The demo's receiver does not run");
    }
    return "http://127.0.0.1:%d/orders".formatted(running.server().getAddress().getPort());
  }

  private void receive(HttpExchange exchange, ScheduledExecutorService answers) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    if (!check.genuine(exchange.getRequestHeaders()::getFirst, body)) {
      ledger.forged();
      answer(exchange, 401);
      return;
    }
    // All of these are there: what is genuine is complete.
    OrderLedger.Request request =
        new OrderLedger.Request(
            URLDecoder.decode(header(exchange, "seriatim-key"), UTF_8),
            Long.parseLong(header(exchange, "seriatim-sequence")),
            header(exchange, "seriatim-event-type").replaceFirst("^order\\.", ""));
    String id = header(exchange, "webhook-id");
    boolean accepts = Integer.parseInt(header(exchange, "seriatim-attempt")) > refusals(id);
    ledger.begins(request);
    ScheduledFuture<?> unused =
        answers.schedule(
            () -> {
              // Before the answer: the next one may come as soon as the answer is out.
              ledger.ends(request, accepts);
              answer(exchange, accepts ? 204 : 503);
            },
            Math.floorMod(id.hashCode(), LONGEST_WORK_MILLIS),
            TimeUnit.MILLISECONDS);
  }

  private static void answer(HttpExchange exchange, int status) {
    try (exchange) {
      exchange.sendResponseHeaders(status, -1);
    } catch (IOException e) {
      log.warn("The demo's receiver could not answer: " + e);
    }
  }

  private static String header(HttpExchange exchange, String name) {
    return exchange.getRequestHeaders().getFirst(name);
  }

  /** How often a webhook is refused: never, once or twice. */
  static int refusals(String webhookId) {
    // Spread by multiplication, because hash codes of similar texts are similar.
    int chance = Math.floorMod((webhookId.hashCode() * 0x9E3779B9) >>> 8, 2 * FLAKY);
    return chance < 2 ? chance + 1 : 0;
  }
}
