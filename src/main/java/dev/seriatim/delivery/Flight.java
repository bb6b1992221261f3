package dev.seriatim.delivery;

import dev.seriatim.partition.MonotonicClock;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import org.apache.hc.core5.concurrent.Cancellable;
import org.jspecify.annotations.Nullable;

/**
 * One request under way: how far it has come and when it must be over.
 *
 * <p>Concurrency: belongs to the thread that sends, except that {@link #expire} is called by
 * another one.
 */
final class Flight {

  /** The flight of the sending thread, for what the HTTP client calls back on it. */
  static final ScopedValue<Flight> CURRENT = ScopedValue.newInstance();

  /** What is being done; a failure is named after it. */
  enum Phase {
    RESOLVING,
    CONNECTING,
    HANDSHAKING,
    /** Also all there is to a request on a connection that is already there. */
    EXCHANGING
  }

  private final Cancellable request;
  private final long deadlineNanos;
  private final MonotonicClock clock;
  private final Permit permit;
  private Phase phase = Phase.EXCHANGING;
  private @Nullable InetAddress dialled;
  private boolean written;
  private volatile boolean expired; // set by the watch, seen by the sender at its next step

  /**
   * @param request closes the connection when it is cancelled, from any thread
   * @param deadlineNanos by the clock
   * @param permit asked before each step
   */
  Flight(Cancellable request, long deadlineNanos, MonotonicClock clock, Permit permit) {
    this.permit = permit;
    this.clock = clock;
    this.request = request;
    this.deadlineNanos = deadlineNanos;
  }

  /** Nanoseconds until the deadline, negative after it. */
  long remaining(long nowNanos) {
    return deadlineNanos - nowNanos;
  }

  /**
   * The next step begins. Looks at the clock and at the permit itself: a process that was paused
   * must not send before those that watch over it have had their turn.
   *
   * @throws InterruptedIOException when the deadline has passed or it is not permitted any more:
   *     nothing may be sent
   */
  void enter(Phase next) throws InterruptedIOException {
    phase = next;
    if (!permit.lasts()) {
      throw new InterruptedIOException("not permitted any more before " + next);
    }
    if (expired || remaining(clock.nanos()) <= 0) {
      throw new InterruptedIOException("the deadline passed before " + next);
    }
  }

  /**
   * The request is written from here on.
   *
   * @throws InterruptedIOException as {@link #enter}: nothing was written
   */
  void write() throws InterruptedIOException {
    enter(Phase.EXCHANGING);
    written = true;
  }

  /** Whether any of the request may have gone out. */
  boolean written() {
    return written;
  }

  Phase phase() {
    return phase;
  }

  void dials(InetAddress address) {
    dialled = address;
  }

  /** The address dialled last, null on a connection that was already there. */
  @Nullable InetAddress dialled() {
    return dialled;
  }

  /** Ends it: whatever it is waiting for on the network fails at once. */
  void expire() {
    expired = true;
    request.cancel();
  }

  boolean expired() {
    return expired;
  }
}
