package dev.seriatim.queue;

import dev.seriatim.partition.MonotonicClock;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** {@link Aside} on a database of the test's choice. */
public final class TestAside {

  private TestAside() {}

  public static Aside on(DataSource dataSource, MonotonicClock clock) {
    JdbcClient jdbc = JdbcClient.create(dataSource);
    return new Aside(jdbc, new PartitionLog(jdbc, clock));
  }
}
