package dev.seriatim.scenario;

import dev.seriatim.TestDatabase;
import dev.seriatim.TestService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

class SharesIntegrationTests {

  /** Promised within 5 s of the last join or leave; a busy machine may take longer. */
  private static final Duration EVEN = Duration.ofSeconds(15);

  /** W7: with 2, 3 and 5 pods, coming and going, no pod has two partitions more than another. */
  @Test
  void sharesAreEvenSoonAfterEachJoinAndLeave() {
    try (TestDatabase database = TestDatabase.create()) {
      JdbcClient jdbc = JdbcClient.create(database.dataSource(1));
      List<TestService> pods = new ArrayList<>();
      try {
        for (int count : List.of(1, 2, 3, 5, 3, 2)) {
          while (pods.size() < count) {
            pods.add(Pod.startOn(database));
          }
          while (pods.size() > count) {
            pods.removeFirst().close();
          }
          Duration took =
              Patience.until(
                  "even shares of " + count + " pods",
                  EVEN,
                  () -> {
                    List<Integer> shares = shares(jdbc);
                    return shares.size() == count
                        && shares.getLast() - shares.getFirst() <= 1
                        && shares.stream().mapToInt(Integer::intValue).sum() == Pod.PARTITIONS;
                  });
          IO.println("%d pods: even after %d ms".formatted(count, took.toMillis()));
        }
      } finally {
        pods.forEach(TestService::close);
      }
    }
  }

  /** Smallest first. */
  private static List<Integer> shares(JdbcClient jdbc) {
    return jdbc.sql(
            """
            select count(*) from partition
            where owner is not null and lease_until > clock_timestamp()
            group by worker order by 1
            """)
        .query(Integer.class)
        .list();
  }
}
