package dev.seriatim.queue;

import java.time.Duration;

/** What attempts may come to. */
final class Settlements {

  private Settlements() {}

  static Settlement delivered(Delivery delivery) {
    return new Settlement.Delivered(delivery, exchange(new Verdict.Delivered(200)));
  }

  static Settlement retry(Delivery delivery, Duration delay) {
    return new Settlement.Retry(
        delivery, exchange(new Verdict.Failed(VerdictCode.SERVER_ERROR, 503, null)), delay, false);
  }

  static Settlement retryAsAsked(Delivery delivery, Duration delay) {
    return new Settlement.Retry(
        delivery, exchange(new Verdict.Failed(VerdictCode.SERVER_ERROR, 503, delay)), delay, true);
  }

  /** Failed before there was any answer. */
  static Settlement unanswered(Delivery delivery, Duration delay) {
    return new Settlement.Retry(
        delivery,
        new Exchange(
            new Verdict.Failed(VerdictCode.DNS, null, null),
            Duration.ofDays(100),
            null,
            null,
            null,
            null),
        delay,
        false);
  }

  static Settlement eject(Delivery delivery) {
    return new Settlement.Eject(
        delivery,
        exchange(new Verdict.Failed(VerdictCode.CLIENT_ERROR, 404, null)),
        EjectReason.ATTEMPTS_EXHAUSTED);
  }

  static Settlement park(Delivery delivery) {
    return new Settlement.Park(
        delivery,
        exchange(new Verdict.Failed(VerdictCode.SERVER_ERROR, 503, null)),
        "failed too often");
  }

  static Settlement pause(Delivery delivery) {
    return new Settlement.Pause(
        delivery,
        exchange(new Verdict.Failed(VerdictCode.SERVER_ERROR, 503, null)),
        "failed too often");
  }

  static Settlement disable(Delivery delivery) {
    return new Settlement.Disable(delivery, exchange(new Verdict.Gone(410)), "gone");
  }

  private static Exchange exchange(Verdict verdict) {
    return new Exchange(
        verdict,
        Duration.ofMillis(12),
        "127.0.0.1",
        "https://b.example/",
        "a: b\nc: \u00e9",
        new byte[] {0, (byte) 0xFF, 'x', (byte) 0xC3});
  }
}
