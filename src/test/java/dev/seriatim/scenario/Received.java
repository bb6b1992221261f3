package dev.seriatim.scenario;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * One request as it reached a {@link Receiver}.
 *
 * <p>Ticks count arrivals and completions of one receiver in the order they happened. What changes
 * is written by the receiver under its lock and read by tests once they have waited for it.
 */
final class Received {

  /** One ordering key of one subscription, or of a tenant. */
  record Lane(String owner, String key) {}

  private final String path;
  private final Map<String, String> headers;
  private final byte[] body;
  private final long arrived;
  private final long arrivedNanos = System.nanoTime();
  private long completed = Long.MAX_VALUE;
  private int status;

  /**
   * @param headers by their lower-case name
   */
  Received(String path, Map<String, String> headers, byte[] body, long arrived) {
    this.path = path;
    this.headers = headers;
    this.body = body;
    this.arrived = arrived;
  }

  /** Noted before the first byte of the answer goes out. */
  void completed(long tick, int answered) {
    completed = tick;
    status = answered;
  }

  String path() {
    return path;
  }

  /** Empty when it is not there. */
  String header(String name) {
    return headers.getOrDefault(name, "");
  }

  byte[] body() {
    return body;
  }

  String text() {
    return new String(body, StandardCharsets.UTF_8);
  }

  String webhookId() {
    return header("webhook-id");
  }

  String eventId() {
    return header("seriatim-event-id");
  }

  /** 0 without order. */
  long sequence() {
    String sequence = header("seriatim-sequence");
    return sequence.isEmpty() ? 0 : Long.parseLong(sequence);
  }

  int attempt() {
    return Integer.parseInt(header("seriatim-attempt"));
  }

  /** Whether it is marked as sent again. */
  boolean replayed() {
    return header("seriatim-replay").equals("true");
  }

  String subscription() {
    return webhookId().split("~", 3)[1]; // a copy's id has a third part
  }

  /**
   * Subscriptions whose URLs begin with {@code /shared} are those that share their tenant's lane.
   */
  Lane lane() {
    return new Lane(
        path.startsWith("/shared") ? "/shared" : subscription(), header("seriatim-key"));
  }

  long arrivedAt() {
    return arrived;
  }

  /** The same on the clock of {@link System#nanoTime}. */
  long arrivedNanos() {
    return arrivedNanos;
  }

  long completedAt() {
    return completed;
  }

  /** 0 while it is under way. */
  int status() {
    return status;
  }

  boolean acknowledged() {
    return status / 100 == 2;
  }

  @Override
  public String toString() {
    return "%s %s #%d attempt %s%s -> %s [%d, %s]"
        .formatted(
            path,
            webhookId(),
            sequence(),
            header("seriatim-attempt"),
            replayed() ? " again" : "",
            status == 0 ? "under way" : status,
            arrived,
            completed == Long.MAX_VALUE ? "" : completed);
  }
}
