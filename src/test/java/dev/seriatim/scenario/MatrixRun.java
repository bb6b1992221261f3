package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestService;
import dev.seriatim.partition.Partitioner;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Plays the cells of the failure matrix, many at once. Thread-safe. */
final class MatrixRun {

  /** Published once the endpoint works again. */
  private static final int OTHERS = 10;

  private static final String TWO_QUICK =
      """
      {"maxAttempts": 2, "initialDelay": "PT0.02S", "maxDelay": "PT0.02S"}""";

  /** Time for a repair to be heard of. */
  private static final String TWO_SLOW =
      """
      {"maxAttempts": 2, "initialDelay": "PT1.2S", "maxDelay": "PT1.2S", "jitter": 0}""";

  private static final String A_SECOND =
      """
      {"maxAttempts": 50, "initialDelay": "PT0.6S", "maxDelay": "PT0.6S", "jitter": 0, "maxAge": "PT1S"}""";

  private static final String MANY =
      """
      {"maxAttempts": 50, "initialDelay": "PT0.01S", "maxDelay": "PT0.01S"}""";

  /** For the receiver over at once, for the sender at its deadline. */
  private static final String ONE_AN_HOUR =
      """
      {"limit": 1, "per": "PT1H"}""";

  private static final Reply NEVER_ANSWERED = new Reply(500, new byte[0]);

  private static final String STATE =
      """
      select
        case when s.state = 'DISABLED' then 'DISABLED'
          when exists (select from partition p where p.id = :partition and p.paused_at is not null) then 'PAUSED'
          else (select l.state from lane l where l.subscription_pk = s.pk) end as state,
        (select count(*) from dead_letter x where x.subscription_pk = s.pk) as dead,
        (select count(*) from delivery d where d.subscription_pk = s.pk) as queued,
        (select count(*) from delivery d where d.subscription_pk = s.pk and d.partition < 0) as aside,
        coalesce((select d.attempts from delivery d where d.subscription_pk = s.pk order by d.sequence limit 1),
          (select max(x.attempts) from dead_letter x where x.subscription_pk = s.pk)) as attempts,
        coalesce((select d.last_verdict from delivery d where d.subscription_pk = s.pk order by d.sequence limit 1),
          (select max(x.last_verdict) from dead_letter x where x.subscription_pk = s.pk)) as verdict
      from subscription s where s.id = :id
      """;

  /** What there is to see of a cell from outside. */
  private record Seen(
      String state, int dead, int queued, int aside, String attempts, String verdict) {}

  private final Scenario scenario;
  private final Hands hands;
  private final Partitioner partitioner;
  private final JdbcClient jdbc;
  private final BrokenWrites writes;

  /** Cells whose endpoint works again. */
  private final Map<String, Boolean> mended = new ConcurrentHashMap<>();

  MatrixRun(Scenario scenario, TestService pod) {
    this.scenario = scenario;
    this.hands = new Hands(scenario);
    this.partitioner = pod.bean(Partitioner.class);
    this.jdbc = JdbcClient.create(pod.database().dataSource());
    this.writes = new BrokenWrites(jdbc);
  }

  /**
   * From the first failure to the last delivery.
   *
   * @param partition no other cell's
   * @throws AssertionError when anything is not as the row says
   */
  void play(MatrixCell cell, int partition) {
    MatrixRow row = cell.row();
    String id = idIn(partition, "cell");
    String neighbour = idIn(partition, "neighbour");
    scenario.receiver.on("/" + id, answers(row.way(), id));
    scenario.subscribe(subscription(row, id));
    scenario.subscribe(simple(neighbour));
    switch (cell.crash()) {
      case BEFORE_RECORDING -> writes.breakOf(id, BrokenWrites.Kind.LAST_VERDICT);
      case AFTER_RECORDING -> writes.breakOf(id, BrokenWrites.Kind.ASIDE);
      case NEVER, WHILE_OTHERS_PUBLISH -> {}
    }
    scenario.publishAll(List.of(event(id, 1), event(id, 2)));
    int queued = row.queued() + fail(cell, id, partition);
    // Before the neighbour's: what is there is to be as the row says however long one waits.
    awaitAsDocumented(row, id, partition, queued);

    publish(neighbour, 1, 2);
    if (row.neighbour() == MatrixRow.Neighbour.GOES_ON) {
      scenario.receiver.awaitArrived(2, "events of " + neighbour, to(neighbour));
    }
    mend(row, id);
    awaitAsDocumented(row, id, partition, queued);
    if (row.neighbour() == MatrixRow.Neighbour.STANDS) {
      assertThat(scenario.receiver.log(to(neighbour))).isEmpty();
    }
    lend(row, id, partition);

    Patience.until(
        "nothing of " + cell + " is queued",
        () -> seen(id, partition).queued() == 0 && seen(neighbour, partition).queued() == 0);
    check(cell, id, neighbour, partition);
  }

  /**
   * Lets it come to the crash.
   *
   * @return how many more are in line
   */
  private int fail(MatrixCell cell, String id, int partition) {
    MatrixRow row = cell.row();
    if (cell.crash() == MatrixRow.Crash.BEFORE_RECORDING) {
      writes.awaitTried(id);
      Takeover.of(jdbc, partition);
      writes.mend(id);
    }
    protect(row, id);
    if (cell.crash() == MatrixRow.Crash.AFTER_RECORDING) {
      if (row.standsAside()) {
        writes.awaitTried(id);
        assertThat(seen(id, partition).aside()).isZero();
      } else {
        awaitAsDocumented(row, id, partition, row.queued());
      }
      Takeover.of(jdbc, partition);
      writes.mend(id);
    }
    if (cell.crash() != MatrixRow.Crash.WHILE_OTHERS_PUBLISH) {
      return 0;
    }
    awaitAsDocumented(row, id, partition, row.queued());
    if (row.way() != MatrixRow.Way.RATE_LIMITED) {
      mend(row, id);
    }
    Thread others = Thread.ofVirtual().start(() -> publish(id, 3, 2 + OTHERS));
    Takeover.of(jdbc, partition);
    try {
      others.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
    return row.dead() == 0 && row.state() != MatrixRow.State.DISABLED ? OTHERS : 0;
  }

  /** Where it is not the endpoint alone that lets nothing through. */
  private void protect(MatrixRow row, String id) {
    switch (row.way()) {
      case RATE_LIMITED -> {
        // Each owner begins with one request; the next one is due and may not go.
        awaitFailed(id);
        hands.retry(hands.lane(id + "-1"));
      }
      case DISABLED -> {
        awaitFailed(id);
        scenario.disable(id);
      }
      // What is not written yet a crash would take with it.
      case CIRCUIT_OPEN ->
          Patience.until(
              "the circuit opens",
              () -> scenario.subscription(id).at("/endpoint/state").asString().equals("OPEN"));
      case SERVER_ERROR, CLIENT_ERROR, TIMEOUT, CONNECT_REFUSED, TOO_OLD, GONE -> {}
    }
  }

  private void awaitFailed(String id) {
    Patience.until("the head fails", () -> scenario.state(id + "-1").equals("WAITING"));
  }

  private void awaitAsDocumented(MatrixRow row, String id, int partition, int queued) {
    Patience.until(
        () -> row + " is not as documented: " + seen(id, partition),
        () -> {
          Seen seen = seen(id, partition);
          return seen.state().equals(row.state().name())
              && seen.dead() == row.dead()
              && seen.queued() == queued
              && (!row.standsAside() || seen.aside() == queued)
              && (row.attempts().equals("*") || row.attempts().equals(seen.attempts()))
              && row.verdict().equals(seen.verdict());
        });
  }

  private Seen seen(String id, int partition) {
    return jdbc.sql(STATE)
        .param("id", id)
        .param("partition", partition)
        .query(
            (found, number) ->
                new Seen(
                    String.valueOf(found.getString("state")),
                    found.getInt("dead"),
                    found.getInt("queued"),
                    found.getInt("aside"),
                    String.valueOf(found.getString("attempts")),
                    String.valueOf(found.getString("verdict"))))
        .single();
  }

  /** The operator's hand, once the endpoint works again. */
  private void lend(MatrixRow row, String id, int partition) {
    switch (row.hand()) {
      case NONE -> {}
      case RESUME_LANE -> hands.resume(hands.lane(id + "-1"));
      case RESUME_PARTITION -> hands.resumePartition(partition);
      case ENABLE -> {
        scenario.enable(id);
        hands.retry(hands.lane(id + "-1"));
      }
      case NEW_URL ->
          scenario.patch(id, "{\"url\": \"" + scenario.receiver.url("/" + id + "/new") + "\"}");
      case NO_LIMIT -> {
        scenario.patch(id, "{\"rateLimit\": null}");
        hands.retry(hands.lane(id + "-1"));
      }
    }
  }

  /** The endpoint works from now on. */
  private void mend(MatrixRow row, String id) {
    mended.put(id, true);
    switch (row.way()) {
      case TIMEOUT -> scenario.patch(id, "{\"timeout\": \"PT10S\"}");
      case CONNECT_REFUSED ->
          scenario.patch(id, "{\"url\": \"" + scenario.receiver.url("/" + id) + "\"}");
      case SERVER_ERROR, CLIENT_ERROR, TOO_OLD, GONE, CIRCUIT_OPEN, RATE_LIMITED, DISABLED -> {}
    }
  }

  private Behaviour answers(MatrixRow.Way way, String id) {
    return request -> {
      if (mended.containsKey(id)) {
        return Reply.ok();
      }
      return switch (way) {
        case CLIENT_ERROR -> Reply.status(400);
        case GONE -> Reply.status(410);
        case TIMEOUT -> NEVER_ANSWERED;
        case SERVER_ERROR, CONNECT_REFUSED, TOO_OLD, CIRCUIT_OPEN, RATE_LIMITED, DISABLED ->
            Reply.status(500);
      };
    };
  }

  private String subscription(MatrixRow row, String id) {
    String retry =
        switch (row.way()) {
          case SERVER_ERROR, CLIENT_ERROR, GONE -> TWO_QUICK;
          case TIMEOUT, CONNECT_REFUSED -> TWO_SLOW;
          case TOO_OLD -> A_SECOND;
          case CIRCUIT_OPEN -> MANY;
          case RATE_LIMITED, DISABLED -> Scenario.LATER;
        };
    String url =
        row.way() == MatrixRow.Way.CONNECT_REFUSED
            ? "http://127.0.0.1:1/"
            : scenario.receiver.url("/" + id);
    String timeout = row.way() == MatrixRow.Way.TIMEOUT ? "PT1S" : "PT10S";
    String limit = row.way() == MatrixRow.Way.RATE_LIMITED ? ONE_AN_HOUR : "null";
    return """
    {"id": "%1$s", "tenant": "matrix", "url": "%2$s", "eventTypes": ["%1$s"], "retry": %3$s, "timeout": "%4$s",
     "onExhausted": "%5$s", "blocks": "%6$s", "rateLimit": %7$s}"""
        .formatted(id, url, retry, timeout, row.policy(), row.blocks(), limit);
  }

  private String simple(String id) {
    return """
    {"id": "%1$s", "tenant": "matrix", "url": "%2$s", "eventTypes": ["%1$s"], "retry": %3$s}"""
        .formatted(id, scenario.receiver.url("/" + id), Scenario.QUICK);
  }

  private void publish(String id, int from, int to) {
    for (int number = from; number <= to; number++) {
      scenario.publishAll(List.of(event(id, number)));
    }
  }

  private String event(String id, int number) {
    return scenario.event(id + "-" + number, id, "r", "1");
  }

  private void check(MatrixCell cell, String id, String neighbour, int partition) {
    MatrixRow row = cell.row();
    int crashes = cell.crash() == MatrixRow.Crash.NEVER ? 0 : 1;
    ReceiverLog log =
        ReceiverLog.of(scenario.receiver.log(to(id)))
            .without(Scenario.upTo(row.dead()))
            .afterCrashes(crashes)
            .afterNewStarts();
    Map<Received.Lane, Long> last = log.assertOrdered();
    boolean published =
        cell.crash() == MatrixRow.Crash.WHILE_OTHERS_PUBLISH
            && row.state() != MatrixRow.State.DISABLED;
    int accepted = 2 + (published ? OTHERS : 0);
    List<Long> delivered =
        scenario.receiver.log(to(id)).stream()
            .filter(Received::acknowledged)
            .map(Received::sequence)
            .distinct()
            .toList();
    assertThat(delivered)
        .as("delivered of " + cell)
        .containsExactlyElementsOf(
            IntStream.rangeClosed(row.dead() + 1, accepted).mapToObj(Long::valueOf).toList());
    if (row.way() == MatrixRow.Way.RATE_LIMITED) {
      assertThat(scenario.receiver.log(to(id)))
          .filteredOn(request -> !request.acknowledged())
          .as("one request of each owner")
          .hasSizeLessThanOrEqualTo(1 + crashes);
    }
    assertThat(log.repeats()).isLessThanOrEqualTo(crashes);
    assertThat(last.values()).allMatch(number -> number <= accepted);
    assertThat(seen(id, partition).dead()).isEqualTo(row.dead());
    assertThat(ReceiverLog.of(scenario.receiver.log(to(neighbour))).assertOrdered())
        .containsValue(2L);
  }

  private static Predicate<Received> to(String id) {
    return request -> request.path().equals("/" + id) || request.path().startsWith("/" + id + "/");
  }

  private String idIn(int partition, String prefix) {
    int number = 0;
    while (partitioner.partition(prefix + "-" + partition + "-" + number) != partition) {
      number++;
    }
    return prefix + "-" + partition + "-" + number;
  }
}
