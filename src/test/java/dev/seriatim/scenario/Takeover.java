package dev.seriatim.scenario;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * What the crash of a partition's owner leaves behind, without the wait for it: whatever the owner
 * has not written it never will, what it had in memory is gone, and a new owner begins with the
 * table. In one process, so that a test can have many; {@link PodProcess#kill} is the real thing.
 */
final class Takeover {

  /** So that the pod notices soon, and claims the partition as its new owner. */
  static final String[] QUICK = {
    "seriatim.lease.renew-every=PT0.5S", "seriatim.lease.sweep-every=PT0.2S"
  };

  private static final String STEAL =
      """
      update partition
      set epoch = epoch + 1, owner = gen_random_uuid(), worker = 'crashed', lease_until = clock_timestamp()
      where id = :id
      returning epoch
      """;

  private static final String OWNED =
      "select count(*) from partition where id = :id and epoch > :epoch and worker is not null";

  private Takeover() {}

  /** Blocks until there is a new owner. */
  static void of(JdbcClient jdbc, int partition) {
    long epoch = jdbc.sql(STEAL).param("id", partition).query(Long.class).single();
    Patience.until(
        "a new owner of partition " + partition,
        () ->
            jdbc.sql(OWNED)
                    .param("id", partition)
                    .param("epoch", epoch)
                    .query(Integer.class)
                    .single()
                == 1);
  }
}
