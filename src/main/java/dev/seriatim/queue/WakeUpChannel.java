package dev.seriatim.queue;

import java.util.Collection;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The notification channel between the pods of one database. Thread-safe. */
final class WakeUpChannel {

  static final String NAME = "seriatim_wake_up";

  // Notifications commit one after another in the whole server, and a hint need not be durable: its
  // commit must not wait for the disk or for a replica. One that only notifies has nothing to wait
  // for, unless reading tidied a page up on the way.
  private static final String NOTIFY =
      """
      select set_config('synchronous_commit', 'off', true), pg_notify(:channel, payload)
      from unnest(:payloads::text[]) as p (payload)
      """;

  private final JdbcClient jdbc;

  WakeUpChannel(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /**
   * Tells all pods that listen of partitions with something new. One statement, its own
   * transaction; blocks for it.
   */
  void tell(Collection<Integer> partitions) {
    jdbc.sql(NOTIFY)
        .param("channel", NAME)
        .param("payloads", SqlArray.of("text", WakeUpPayload.of(partitions).toArray()))
        .query(row -> {});
  }
}
