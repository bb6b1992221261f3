package dev.seriatim.delivery;

import dev.seriatim.queue.Verdict;
import org.jspecify.annotations.Nullable;

/** What a verdict says of the endpoint itself, rather than of the event that was sent. Pure. */
enum Sign {
  /** It works. */
  WELL,
  /** It is down, overloaded or cannot be reached. */
  ILL,
  /**
   * Neither: the answer may be about this one event, and one poisonous event must not stop the
   * others.
   */
  NEITHER;

  private static final int TOO_MANY_REQUESTS = 429;
  private static final int BAD_GATEWAY = 502;
  private static final int UNAVAILABLE = 503;
  private static final int GATEWAY_TIMEOUT = 504;

  static Sign of(Verdict verdict) {
    return switch (verdict.code()) {
      case DELIVERED -> WELL;
      case GONE, BLOCKED, REDIRECT -> NEITHER;
      case CLIENT_ERROR -> is(verdict.status(), TOO_MANY_REQUESTS) ? ILL : NEITHER;
      case SERVER_ERROR, DNS, CONNECT_REFUSED, CONNECT_TIMEOUT -> ILL;
      case TLS, TIMEOUT, CONNECTION_LOST, PROTOCOL -> ILL;
    };
  }

  /** Whether it is asked for less at a time. */
  static boolean isTooMuch(Verdict verdict) {
    Integer status = verdict.status();
    return is(status, TOO_MANY_REQUESTS)
        || is(status, BAD_GATEWAY)
        || is(status, UNAVAILABLE)
        || is(status, GATEWAY_TIMEOUT);
  }

  /** Whether a {@code Retry-After} beside it speaks for the whole endpoint. */
  static boolean asksAllToWait(Verdict verdict) {
    return is(verdict.status(), TOO_MANY_REQUESTS) || is(verdict.status(), UNAVAILABLE);
  }

  private static boolean is(@Nullable Integer status, int expected) {
    return status != null && status == expected;
  }
}
