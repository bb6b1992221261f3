package dev.seriatim.delivery;

import dev.seriatim.partition.MonotonicClock;
import dev.seriatim.queue.EndpointState;
import dev.seriatim.queue.Verdict;
import dev.seriatim.subscription.EndpointSettings;
import dev.seriatim.subscription.RateLimit;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What protects one endpoint: its rate limit, its circuit breaker, the requests at once that it
 * bears, and the wait that it asked for. Exact, because all lanes of an endpoint have one owner.
 * Waiting at it is no attempt.
 *
 * <p>Given the time with each call; no I/O. No thread-safety: the drainer's.
 */
final class EndpointGate {

  /** The longest wait that an endpoint can ask for all of its lanes: one hour. */
  static final Duration MAX_HOLD = Duration.ofHours(1);

  /** Shorter holds are not left to the next owner, and neither is a failing that is younger. */
  private static final Duration WORTH_WRITING = Duration.ofSeconds(5);

  private static final Duration LASTING = Duration.ofMinutes(1);

  /** Between two looks at how much is queued, which read many rows. */
  private static final long BETWEEN_LOOKS = Duration.ofMinutes(1).toNanos();

  /**
   * What may pass.
   *
   * @param atOnce lanes in flight; 0 while it is shut
   * @param from when the next may start; not after now if it may now
   */
  record Passage(int atOnce, long from) {}

  private final EndpointSettings settings;
  private final Breaker breaker;
  private final Slowing slowing = new Slowing();
  private final FailingSince failing = new FailingSince();
  private int usual;
  private @Nullable RateLimit limit;
  private @Nullable Rate rate;
  private @Nullable Long heldUntil;
  private String reason = "";
  private String lastVerdict = "";
  private boolean recorded;
  private boolean changed;
  private @Nullable Long lookedAt;

  /**
   * @param former what the former owner left
   */
  EndpointGate(EndpointSettings settings, MonotonicClock clock, EndpointState former, long now) {
    this.settings = settings;
    this.breaker = new Breaker(settings.breaker(), clock);
    recorded = !former.equals(EndpointState.WELL);
    failing.restore(former, now);
    reason = former.reason() == null ? "" : former.reason();
    Duration wait = former.shutFor();
    if (settings.breaker().enabled()) {
      breaker.restore(former, now);
    }
    if (!former.open() && wait != null && wait.isPositive()) {
      heldUntil = now + wait.toNanos();
    }
  }

  /**
   * Its subscription is, or has become, like this.
   *
   * @param cap requests at once
   * @param began when this owner began: what a bucket would have gathered since then is in it
   */
  void limits(int cap, @Nullable RateLimit rateLimit, long began) {
    usual = cap;
    if (!Objects.equals(limit, rateLimit)) {
      limit = rateLimit;
      rate = rateLimit == null ? null : new Rate(rateLimit, began);
    }
  }

  Passage passage(long now) {
    Long held = heldUntil;
    boolean open = breaker.state(now) == Breaker.State.OPEN;
    if (held != null && held - now > 0) {
      return new Passage(0, open && breaker.until() - held > 0 ? breaker.until() : held);
    }
    if (open) {
      return new Passage(0, breaker.until());
    }
    int atOnce = breaker.state(now) == Breaker.State.HALF_OPEN ? 1 : slowing.cap();
    return new Passage(atOnce, rate == null ? now : rate.nextAt(now));
  }

  Breaker.State state(long now) {
    return breaker.state(now);
  }

  /** A delivery that was let pass is on its way. */
  void started(long delivery, long now) {
    breaker.started(delivery, now);
    if (rate != null) {
      rate.take(now);
    }
  }

  /** A delivery that was let pass was not sent. */
  void notSent(long delivery) {
    breaker.passed(delivery);
    if (rate != null) {
      rate.giveBack();
    }
  }

  /**
   * The verdict on a delivery that was let pass.
   *
   * @return what changed by it, for the log; null mostly
   */
  @Nullable String landed(long delivery, Verdict verdict, long now) {
    switch (verdict) {
      case Verdict.Delivered delivered -> {
        changed |= recorded;
        failing.succeeded();
        slowing.success(usual);
      }
      case Verdict.Failed failed -> {
        failing.failed(now);
        Duration age = failing.age(now);
        changed |= !recorded && age != null && age.compareTo(LASTING) >= 0;
        lastVerdict = described(verdict);
        if (Sign.isTooMuch(verdict)) {
          slowing.tooMuch(usual);
        }
      }
      case Verdict.Gone gone -> {}
    }
    String hold = verdict instanceof Verdict.Failed failed ? hold(failed, now) : null;
    String turn = turn(delivery, Sign.of(verdict), now);
    return turn == null ? hold : turn;
  }

  private @Nullable String hold(Verdict.Failed verdict, long now) {
    Duration asked = verdict.retryAfter();
    if (asked == null || !asked.isPositive() || !Sign.asksAllToWait(verdict)) {
      return null;
    }
    Duration wait = asked.compareTo(MAX_HOLD) > 0 ? MAX_HOLD : asked;
    long until = now + wait.toNanos();
    Long former = heldUntil;
    if (former != null && until - former <= 0) {
      return null;
    }
    heldUntil = until;
    boolean longer = former == null || until - Math.max(former, now) >= WORTH_WRITING.toNanos();
    if (wait.compareTo(WORTH_WRITING) < 0 || !longer) {
      return null;
    }
    if (breaker.state(now) == Breaker.State.CLOSED) {
      reason = "it answered %s and asked for a wait of %s".formatted(lastVerdict, wait);
    }
    changed = true;
    return "is held for " + wait + ": it answered " + lastVerdict + " with Retry-After";
  }

  private @Nullable String turn(long delivery, Sign sign, long now) {
    if (!settings.breaker().enabled()) {
      return null;
    }
    if (sign == Sign.NEITHER) {
      breaker.passed(delivery);
      return null;
    }
    if (!breaker.landed(delivery, sign == Sign.WELL, now)) {
      return null;
    }
    changed = true;
    if (breaker.state(now) == Breaker.State.CLOSED) {
      reason = "";
      return "works again: its circuit closes";
    }
    Duration wait = Duration.ofNanos(breaker.until() - now);
    reason =
        breaker.openings() == 1
            ? "at least %d %% of its last verdicts were failures, the last %s"
                .formatted(settings.breaker().failureRate(), lastVerdict)
            : "the probe after a rest failed, too: %s".formatted(lastVerdict);
    return "is left alone for %s, its circuit opens: %s".formatted(wait, reason);
  }

  /** Whether the next owner must hear of a change that is not written down yet. */
  boolean changed() {
    return changed;
  }

  /** It has been written down. */
  void recorded(EndpointState written) {
    changed = false;
    recorded = !written.equals(EndpointState.WELL);
  }

  EndpointState recordable(long now) {
    boolean open = breaker.state(now) != Breaker.State.CLOSED;
    Duration wait = holdLeft(now);
    if (open) {
      Duration rest = Duration.ofNanos(breaker.until() - now);
      wait = wait == null || wait.compareTo(rest) < 0 ? rest : wait;
    }
    return new EndpointState(
        open,
        wait == null ? null : reason,
        wait,
        failing.age(now),
        failing.failures(),
        breaker.openings());
  }

  private @Nullable Duration holdLeft(long now) {
    Long held = heldUntil;
    return held == null || held - now <= 0 ? null : Duration.ofNanos(held - now);
  }

  /**
   * Whether it has failed for so long that the volume decides; true once a minute at most, so that
   * the caller can look it up.
   */
  boolean failsForTooLong(long now) {
    Duration age = failing.age(now);
    Long looked = lookedAt;
    if (!settings.disable().enabled()
        || age == null
        || age.compareTo(settings.disable().after()) < 0
        || (looked != null && now - looked < BETWEEN_LOOKS)) {
      return false;
    }
    lookedAt = now;
    return true;
  }

  /**
   * Why it is to be disabled.
   *
   * @param queued deliveries that wait for it
   * @return null while the volume is too small
   */
  @Nullable String disableReason(long queued, long now) {
    Duration age = failing.age(now);
    if (age == null || failing.failures() + queued < settings.disable().volume()) {
      return null;
    }
    return "no success for %s: %d failed attempts, %d deliveries queued, the last verdict %s"
        .formatted(Duration.ofSeconds(age.toSeconds()), failing.failures(), queued, lastVerdict);
  }

  private static String described(Verdict verdict) {
    return verdict.status() == null
        ? verdict.code().name()
        : verdict.code().name() + " " + verdict.status();
  }
}
