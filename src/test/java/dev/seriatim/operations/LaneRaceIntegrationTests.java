package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.seriatim.TestDatabase;
import dev.seriatim.api.Operator;
import dev.seriatim.audit.Audit;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiFunction;
import java.util.function.LongFunction;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** Two operators at the same lane, or the same partition, at once (O10 for these). */
class LaneRaceIntegrationTests {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  enum Press {
    PARK("ACTIVE", (actions, lane) -> actions.park(lane, "r")),
    RESUME("HELD", LaneActions::resume),
    SKIP("ACTIVE", (actions, lane) -> actions.skip(lane, 1)),
    RETRY("ACTIVE", LaneActions::retry);

    private final String before;
    private final BiFunction<LaneActions, Long, Lane> press;

    Press(String before, BiFunction<LaneActions, Long, Lane> press) {
      this.before = before;
      this.press = press;
    }
  }

  private final TestDatabase database = TestDatabase.create();
  private final DataSource pool = database.dataSource();
  private final JdbcClient jdbc = JdbcClient.create(pool);
  private final LaneRowsFixture rows = new LaneRowsFixture(jdbc);
  private final ExecutorService operators = Executors.newVirtualThreadPerTaskExecutor();
  private final Repairs repairs =
      new Repairs(
          new Repeatable(new TransactionTemplate(new JdbcTransactionManager(pool))), () -> {});
  private final Audit audit = new Audit(jdbc, new JsonMapper(), new Operator());
  private final LaneActions actions = actions();
  private long lane;

  @BeforeEach
  void fill() {
    rows.clear();
    lane = rows.lane(rows.subscription("orders"), "k", 3);
    rows.failing(lane, "1 hour");
  }

  @AfterEach
  void close() {
    operators.close();
    database.close();
  }

  @ParameterizedTest
  @EnumSource
  void twoAtOnceDoItOnce(Press press) throws Exception {
    if (press.before.equals("HELD")) {
      rows.held(lane, "POLICY", "1 minute");
    }

    List<Lane> answers =
        atOnce(id -> press.press.apply(actions, id), id -> press.press.apply(actions, id));

    assertThat(rows.count("audit")).isOne();
    assertThat(answers.getFirst().state()).isEqualTo(answers.getLast().state());
    assertThat(answers).extracting(Lane::depth).containsOnly(press == Press.SKIP ? 2L : 3L);
    assertThat(rows.count("dead_letter")).isEqualTo(press == Press.SKIP ? 1 : 0);
  }

  /** Skipping lets a lane of its policy go on, and it is no longer its policy's by then. */
  @Test
  void skippingDoesNotUndoTheParkingOfAnother() throws Exception {
    rows.held(lane, "POLICY", "1 minute");

    List<Lane> answers = atOnce(id -> actions.park(id, "mine"), id -> actions.skip(id, 1));

    assertThat(answers.getLast().heldBy()).isEqualTo(Lane.HeldBy.OPERATOR);
    assertThat(rows.count("lane where state = 'HELD' and reason = 'mine'")).isOne();
    assertThat(rows.count("audit")).isEqualTo(2);
  }

  @Test
  void twoPauseOrResumeAPartitionOnce() throws Exception {
    PartitionActions partitions = new PartitionActions(repairs, jdbc, audit);
    String row = "partition where id = 5";

    List<PartitionState> paused =
        atOnce(row, () -> partitions.pause(5, "mine"), () -> partitions.pause(5, "late"));
    assertThat(paused).extracting(PartitionState::pausedReason).containsOnly("mine");
    assertThat(rows.count("audit")).isOne();

    List<PartitionState> resumed =
        atOnce(row, () -> partitions.resume(5), () -> partitions.resume(5));
    assertThat(resumed).extracting(PartitionState::pausedReason).containsOnlyNulls();
    assertThat(rows.count("audit")).isEqualTo(2);
  }

  /** Both are under way while a publisher has the lane; the first to come is the first to go on. */
  private List<Lane> atOnce(LongFunction<Lane> first, LongFunction<Lane> second) throws Exception {
    return atOnce("lane where id = " + lane, () -> first.apply(lane), () -> second.apply(lane));
  }

  private <T> List<T> atOnce(String row, Callable<T> first, Callable<T> second) throws Exception {
    Future<T> one;
    Future<T> other;
    try (Connection publisher = pool.getConnection()) {
      publisher.setAutoCommit(false);
      lock(publisher, row);
      one = operators.submit(first);
      awaitWaiting(1);
      other = operators.submit(second);
      awaitWaiting(2);
      publisher.rollback();
    }
    return List.of(one.get(), other.get());
  }

  private static void lock(Connection publisher, String row) throws SQLException {
    try (var statement = publisher.createStatement()) {
      statement.execute("select from " + row + " for no key update");
    }
  }

  private void awaitWaiting(int sessions) {
    await(sessions + " operators wait")
        .atMost(PATIENCE)
        .until(
            () ->
                rows.count(
                        "pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'")
                    == sessions);
  }

  private LaneActions actions() {
    RecentAttempts attempts = new RecentAttempts(jdbc);
    return new LaneActions(
        repairs,
        new LaneTable(jdbc),
        new LaneQuery(jdbc, new AttemptSources(jdbc), attempts),
        audit);
  }
}
