package dev.seriatim.delivery;

import dev.seriatim.partition.MonotonicClock;
import dev.seriatim.partition.PartitionLease;
import dev.seriatim.queue.ContentReader;
import dev.seriatim.queue.Delivery;
import dev.seriatim.queue.DeliveryContent;
import dev.seriatim.queue.Exchange;
import dev.seriatim.queue.Settlement;
import dev.seriatim.queue.Settler;
import dev.seriatim.queue.Verdict;
import dev.seriatim.queue.VerdictCode;
import dev.seriatim.subscription.Subscription;
import dev.seriatim.subscription.SubscriptionDefaults;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Component;

/**
 * Carries out one attempt from the content to the recorded verdict, each on a virtual thread of its
 * own. Thread-safe.
 *
 * <p>A request goes out only if its lease outlives the request's total deadline. A verdict is
 * recorded before anybody hears of it; while the database is away that is tried again and again,
 * and the request is never sent again instead. If this process dies in between, the next owner
 * sends the delivery once more: the one duplicate that G3 allows.
 */
@Component
class Attempts {

  private static final Logger log = LoggerFactory.getLogger(Attempts.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  private final Semaphore inFlight;
  private final ContentReader contents;
  private final SubscriptionCache subscriptions;
  private final Clock wallClock;
  private final WebhookSender sender;
  private final Settler settler;
  private final MonotonicClock clock;
  private final AttemptTraces traces;
  private final RandomGenerator random;
  private final Duration longestDeadline;
  private final AttemptMeters meters;

  Attempts(
      DrainSettings settings,
      ContentReader contents,
      SubscriptionCache subscriptions,
      Clock wallClock,
      WebhookSender sender,
      Settler settler,
      MonotonicClock clock,
      AttemptTraces traces,
      RandomGenerator random,
      SubscriptionDefaults defaults,
      AttemptMeters meters) {
    // Fair: partitions that wait for the pod's limit get through in the order they came.
    this.inFlight = new Semaphore(settings.maxInFlight(), true);
    this.contents = contents;
    this.subscriptions = subscriptions;
    this.wallClock = wallClock;
    this.sender = sender;
    this.settler = settler;
    this.clock = clock;
    this.traces = traces;
    this.random = random;
    this.longestDeadline = defaults.maxTimeout();
    this.meters = meters;
  }

  /**
   * Starts an attempt; returns at once.
   *
   * @param done gets the result, on the attempt's thread, exactly once; must not block
   */
  void start(AttemptScope scope, Delivery delivery, Consumer<AttemptResult> done) {
    Thread.ofVirtual()
        .name("attempt-" + delivery.id())
        .start(() -> scope.run(() -> done.accept(attempt(scope, delivery))));
  }

  private AttemptResult attempt(AttemptScope scope, Delivery delivery) {
    LogSubject subject = new LogSubject(delivery);
    try {
      Exchange exchange = send(scope, delivery, subject);
      if (exchange == null) {
        return new AttemptResult.NotSent(delivery);
      }
      meters.answered(delivery, exchange, clock.nanos());
      noteFailure(delivery, exchange.verdict(), subject);
      return record(scope, settlement(delivery, exchange), subject);
    } catch (InterruptedException e) {
      return new AttemptResult.NotSent(delivery);
    } catch (DataAccessException e) {
      subject
          .on(log.atWarn())
          .log("Delivery {} waits, its content cannot be read: {}", delivery.id(), e.toString());
      return new AttemptResult.NotSent(delivery);
    } catch (RuntimeException | Error e) {
      // An Error as well: without a result the lane would be under way for ever.
      subject
          .on(log.atError())
          .setCause(e)
          .log("Delivery {} waits, it could not be sent", delivery.id());
      return new AttemptResult.NotSent(delivery);
    }
  }

  /** For those who look for it; the history of attempts has it anyway. */
  private static void noteFailure(Delivery delivery, Verdict verdict, LogSubject subject) {
    if (log.isDebugEnabled() && !(verdict instanceof Verdict.Delivered)) {
      subject
          .on(log.atDebug())
          .log("Attempt {} failed: {}", delivery.attempts() + 1, verdict.code());
    }
  }

  /**
   * @param subject gets to know what is sent
   * @return null when it must not go out now
   */
  private @Nullable Exchange send(AttemptScope scope, Delivery delivery, LogSubject subject)
      throws InterruptedException {
    inFlight.acquire();
    try {
      DeliveryContent content = contents.content(delivery);
      Subscription subscription = subscriptions.get(delivery.subscriptionPk());
      AttemptTrace trace = traces.begin(subscription, delivery, content);
      subject.known(subscription, content, trace);
      // A subscription made under settings that allowed more must not ask for more than a lease has
      // now.
      Webhook webhook =
          WebhookComposer.compose(
                  subscription,
                  delivery,
                  content,
                  delivery.attempts() + 1,
                  wallClock.instant(),
                  trace.sent())
              .within(longestDeadline);
      return scope.sending(
          permit ->
              subscription.state() == Subscription.State.ENABLED
                  ? request(scope, webhook, trace, subject, permit)
                  : null);
    } finally {
      inFlight.release();
    }
  }

  private @Nullable Exchange request(
      AttemptScope scope, Webhook webhook, AttemptTrace trace, LogSubject subject, Permit permit)
      throws InterruptedException {
    // The deadline counts from before the look at the lease: if this process is paused anywhere
    // after it, the request either goes out while the lease lasts or not at all.
    long start = clock.nanos();
    if (scope.stopping() || !scope.lease().outlives(webhook.deadline())) {
      return null;
    }
    Exchange exchange;
    try {
      exchange = sender.send(webhook, start, permit);
    } catch (InterruptedException e) {
      if (!(e instanceof NothingSentException)) {
        // Broken off: nobody knows how much of it arrived.
        meters.duplicateSuspected();
      }
      trace.brokenOff();
      throw e;
    } catch (RuntimeException e) {
      // It may have gone out: an attempt like any other, not one that never was.
      subject
          .on(log.atError())
          .setCause(e)
          .log("A request failed in a way that the sender does not know");
      Duration took = Duration.ofNanos(clock.nanos() - start);
      exchange =
          new Exchange(
              new Verdict.Failed(VerdictCode.PROTOCOL, null, null), took, null, null, null, null);
    }
    trace.ended(exchange);
    return exchange;
  }

  private Settlement settlement(Delivery delivery, Exchange exchange) {
    return FailurePolicy.settlement(
        subscriptions.get(delivery.subscriptionPk()),
        delivery,
        exchange,
        headAge(delivery),
        random.nextDouble());
  }

  private Duration headAge(Delivery delivery) {
    Long since = delivery.headSince();
    return since == null ? Duration.ZERO : Duration.ofNanos(clock.nanos() - since);
  }

  private AttemptResult record(AttemptScope scope, Settlement settlement, LogSubject subject)
      throws InterruptedException {
    Settlement current = settlement;
    Duration pause = FIRST_PAUSE;
    while (true) {
      try {
        return switch (settler.settle(scope.lease(), current)) {
          case SETTLED -> {
            meters.recorded(current, clock.nanos());
            yield result(scope.lease(), current, subject);
          }
          case FENCED -> {
            suspect(current);
            yield new AttemptResult.Fenced(current.delivery());
          }
        };
      } catch (DataAccessException e) {
        subject
            .on(log.atWarn())
            .log(
                "The verdict on delivery {} waits to be recorded: {}",
                current.delivery().id(),
                e.toString());
      } catch (RuntimeException e) {
        subject
            .on(log.atError())
            .setCause(e)
            .log("The verdict on delivery {} waits to be recorded", current.delivery().id());
      }
      if (scope.abortedWithin(pause)) {
        suspect(current);
        return new AttemptResult.NotSent(current.delivery());
      }
      Duration doubled = pause.multipliedBy(2);
      pause = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
    }
  }

  /** A request whose verdict stays unknown to the queue is sent again. */
  private void suspect(Settlement unrecorded) {
    if (unrecorded instanceof Settlement.Delivered) {
      meters.duplicateSuspected();
    }
  }

  private AttemptResult result(PartitionLease lease, Settlement settlement, LogSubject subject) {
    Delivery delivery = settlement.delivery();
    Verdict verdict = settlement.exchange().verdict();
    return switch (settlement) {
      case Settlement.Delivered delivered -> new AttemptResult.Settled(delivery, verdict);
      case Settlement.Eject eject -> new AttemptResult.Settled(delivery, verdict);
      case Settlement.Park park -> {
        subject
            .on(log.atWarn())
            .log("Lane {} is held: {}", KeyLanes.laneOf(delivery), park.reason());
        yield new AttemptResult.Parked(delivery, verdict, park.reason());
      }
      case Settlement.Pause pause -> {
        subject
            .on(log.atWarn())
            .addKeyValue("partition", lease.partition())
            .log("{} is paused: {}", lease, pause.reason());
        yield new AttemptResult.Paused(delivery, verdict, next(delivery, Duration.ZERO, true));
      }
      case Settlement.Retry retry ->
          new AttemptResult.Retrying(
              delivery, verdict, next(delivery, retry.delay(), retry.asked()));
      case Settlement.Disable disable ->
          new AttemptResult.Disabled(delivery, verdict, next(delivery, Duration.ZERO, true));
    };
  }

  private Delivery next(Delivery delivery, Duration wait, boolean asked) {
    long now = clock.nanos();
    Long since = delivery.headSince();
    return delivery.retried(now + wait.toNanos(), since == null ? now : since, asked ? null : now);
  }
}
