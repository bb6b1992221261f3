package dev.seriatim.subscription;

import java.time.Duration;

/** What a subscription may ask for at most. */
final class Limits {

  static final int MAX_IN_FLIGHT = 1000;
  static final int MAX_RATE = 100_000;
  static final int MAX_RATE_SECONDS = 3600;
  static final int MAX_ATTEMPTS = 100;

  /** Of a schedule: what lies between the attempts. */
  static final int MAX_WAITS = MAX_ATTEMPTS - 1;

  static final int MAX_DELAY_DAYS = 7;
  static final int MAX_AGE_DAYS = 90;
  static final int MAX_MULTIPLIER = 100;

  static final int MAX_URL_LENGTH = 2048;
  static final int MAX_EVENT_TYPES = 100;
  static final int MAX_HEADERS = 20;
  static final int MAX_HEADER_NAME_LENGTH = 128;
  static final int MAX_HEADER_VALUE_LENGTH = 1024;

  static final Duration MIN_TIMEOUT = Duration.ofMillis(100);

  private Limits() {}
}
