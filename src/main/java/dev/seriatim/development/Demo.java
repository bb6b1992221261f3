package dev.seriatim.development;

import dev.seriatim.development.DemoOrders.OrderEvent;
import dev.seriatim.subscription.WebhookSecret;
import java.io.IOException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Publishes orders for as long as the service runs and prints what arrived of them.
 *
 * <p>Starts after the web server and stops before it. What is queued when it stops is held for the
 * next run. After a kill there is nothing to repair: the next run takes the subscription over, and
 * its first events wait until the leases of the killed one have run out.
 *
 * <p>Concurrency: publishing and printing have a thread each, so that a service that does not
 * answer cannot stop the table.
 */
final class Demo implements SmartLifecycle {

  private static final Log log = LogFactory.getLog(Demo.class);

  private static final long PUBLISH_EVERY_MILLIS = 60;
  private static final long PRINT_EVERY_MILLIS = 2_000;
  private static final long STOP_LIMIT_SECONDS = 15;
  private static final int LINES = 8;

  private final Supplier<DemoClient> connect;
  private final DemoReceiver receiver;
  private final WebhookSecret secret;
  private final DemoOrders orders;
  private final OrderLedger ledger;
  private final Consumer<String> screen;
  private final AtomicLong published = new AtomicLong();

  private @Nullable DemoClient client;
  private @Nullable ScheduledExecutorService threads;

  /** Of the publishing thread: what is not yet known to be stored. */
  private @Nullable OrderEvent pending;

  /** Of the publishing thread. */
  private boolean subscribed;

  /** Of the publishing thread: the fault that has been reported. */
  private @Nullable String fault;

  /**
   * @param connect asked when the service listens
   */
  Demo(
      Supplier<DemoClient> connect,
      DemoReceiver receiver,
      WebhookSecret secret,
      DemoOrders orders,
      OrderLedger ledger,
      Consumer<String> screen) {
    this.connect = connect;
    this.receiver = receiver;
    this.secret = secret;
    this.orders = orders;
    this.ledger = ledger;
    this.screen = screen;
  }

  @Override
  public void start() {
    DemoClient connected = connect.get();
    client = connected;
    ScheduledExecutorService started =
        Executors.newScheduledThreadPool(
            2, Thread.ofPlatform().name("demo-", 0).daemon().factory());
    threads = started;
    log.info("The demo begins: orders are published and their webhooks received; Ctrl-C ends it");
    ScheduledFuture<?> unused =
        started.scheduleWithFixedDelay(
            () -> step(connected), 0, PUBLISH_EVERY_MILLIS, TimeUnit.MILLISECONDS);
    ScheduledFuture<?> unusedToo =
        started.scheduleWithFixedDelay(
            this::print, PRINT_EVERY_MILLIS, PRINT_EVERY_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Blocks until the last request is answered. */
  @Override
  public void stop() {
    ScheduledExecutorService running = threads;
    DemoClient connected = client;
    if (running == null || connected == null) {
      return;
    }
    threads = null;
    running.shutdown();
    try (connected) {
      if (running.awaitTermination(STOP_LIMIT_SECONDS, TimeUnit.SECONDS)) {
        connected.hold();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      log.warn("The demo's subscription stays enabled: " + e.getMessage());
    }
    print();
  }

  @Override
  public boolean isRunning() {
    return threads != null;
  }

  long published() {
    return published.get();
  }

  private void step(DemoClient service) {
    try {
      if (!subscribed) {
        service.subscribe(receiver.url(), secret);
        subscribed = true;
      }
      OrderEvent event = pending == null ? orders.next() : pending;
      pending = event;
      service.publish(event);
      pending = null;
      published.incrementAndGet();
      fault = null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      // Tried again for as long as it takes: that is what a producer must do.
      String now = e.toString();
      if (!now.equals(fault)) {
        log.warn("The demo tries again: " + now);
        fault = now;
      }
    } catch (RuntimeException e) {
      // An executor would end without a word.
      log.error("The demo cannot publish", e);
      throw e;
    }
  }

  private void print() {
    screen.accept(DemoTable.render(published.get(), ledger.report(LINES)));
  }
}
