package dev.seriatim.scenario;

import static dev.seriatim.scenario.ReceiverLog.Kind.GAP;
import static dev.seriatim.scenario.ReceiverLog.Kind.IDENTITY;
import static dev.seriatim.scenario.ReceiverLog.Kind.OVERLAP;
import static dev.seriatim.scenario.ReceiverLog.Kind.REORDER;
import static dev.seriatim.scenario.ReceiverLog.Kind.REPEAT;
import static dev.seriatim.scenario.ReceiverLog.Kind.UNACKNOWLEDGED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The checker of the scenarios, on logs made by hand. */
class ReceiverLogTests {

  private static final Received.Lane LANE = new Received.Lane("s", "k");

  private final List<Received> log = new ArrayList<>();
  private long tick;

  @Test
  void orderWithRetriesIsTheOrder() {
    answered(1, 1, 503);
    answered(1, 2, 200);
    answered(2, 1, 200);

    assertThat(ReceiverLog.of(log).assertOrdered()).isEqualTo(Map.of(LANE, 2L));
  }

  @Test
  void earlierNumberIsAReorder() {
    answered(1, 1, 200);
    answered(2, 1, 200);
    answered(1, 2, 200);

    assertThat(kinds(ReceiverLog.of(log).afterCrashes(5))).contains(REORDER);
    assertThatThrownBy(() -> ReceiverLog.of(log).assertOrdered())
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("expected #3");
  }

  @Test
  void missingNumberIsAGap() {
    answered(1, 1, 200);
    answered(3, 1, 200);

    assertThat(kinds(ReceiverLog.of(log).afterCrashes(5))).containsExactly(GAP);
  }

  @Test
  void missingFirstNumberIsAGap() {
    answered(2, 1, 200);

    assertThat(kinds(ReceiverLog.of(log))).containsExactly(GAP);
    assertThat(kinds(ReceiverLog.of(log).continuing(Map.of(LANE, 1L)))).isEmpty();
    assertThat(kinds(ReceiverLog.of(log).continuing(Map.of(LANE, 2L)))).containsExactly(REORDER);
  }

  @Test
  void numberWithoutSuccessIsLost() {
    answered(1, 1, 200);
    answered(2, 1, 503);

    assertThat(kinds(ReceiverLog.of(log).afterCrashes(5))).containsExactly(UNACKNOWLEDGED);
  }

  @Test
  void nextNumberBeforeASuccessIsTooEarly() {
    answered(1, 1, 503);
    answered(2, 1, 200);

    assertThat(kinds(ReceiverLog.of(log).afterCrashes(5))).containsExactly(UNACKNOWLEDGED);
  }

  @Test
  void repeatIsAllowedOncePerCrash() {
    answered(1, 1, 200);
    answered(1, 1, 200);
    answered(2, 1, 200);
    answered(2, 1, 200);

    ReceiverLog twice = ReceiverLog.of(log).afterCrashes(2);
    assertThat(twice.violations()).isEmpty();
    assertThat(twice.repeats()).isEqualTo(2);
    assertThat(kinds(ReceiverLog.of(log).afterCrashes(1))).containsExactly(REPEAT);
    assertThat(kinds(ReceiverLog.of(log))).contains(REPEAT);
  }

  @Test
  void eachLaneHasItsOwnRepeats() {
    answered(1, 1, 200);
    answered(1, 1, 200);
    request("other", 1, 1).completed(++tick, 200);
    request("other", 1, 1).completed(++tick, 200);

    assertThat(ReceiverLog.of(log).afterCrashes(1).violations()).isEmpty();
  }

  @Test
  void attemptThatComesTwiceNeedsACrash() {
    answered(1, 1, 503);
    answered(1, 1, 200);

    assertThat(kinds(ReceiverLog.of(log))).containsExactly(IDENTITY);
    assertThat(ReceiverLog.of(log).afterCrashes(1).violations()).isEmpty();
  }

  @Test
  void attemptThatIsMissingWasBurnt() {
    answered(1, 2, 200);

    assertThat(kinds(ReceiverLog.of(log))).containsExactly(IDENTITY);
  }

  @Test
  void twoRequestsAtOnceAreTwoOwners() {
    Received first = request("k", 1, 1);
    Received second = request("k", 1, 1);
    first.completed(++tick, 503);
    second.completed(++tick, 200);

    assertThat(kinds(ReceiverLog.of(log).afterCrashes(5))).containsExactly(OVERLAP);
  }

  @Test
  void replayMayHaveANumberThatTheLaneHasPassed() {
    answered(1, 1, 200);
    answered(2, 1, 200);
    answered(3, 1, 503);
    replayed(1, 1, 503);
    replayed(1, 2, 200);
    answered(3, 2, 200);
    replayed(2, 1, 200);
    replayed(2, 1, 200);
    replayed(4, 1, 200);
    answered(5, 1, 200);

    assertThat(ReceiverLog.of(log).assertOrdered()).isEqualTo(Map.of(LANE, 5L));
    assertThat(ReceiverLog.of(log).repeats()).isZero();
  }

  @Test
  void replayThatFailsIsNotPassedByHigherNumbers() {
    answered(1, 1, 200);
    answered(2, 1, 200);
    replayed(1, 1, 503);
    answered(3, 1, 200);
    replayed(1, 2, 200);

    assertThat(kinds(ReceiverLog.of(log))).containsExactly(UNACKNOWLEDGED);
  }

  @Test
  void headThatWasOvertakenIsStillDue() {
    answered(1, 1, 200);
    answered(2, 1, 503);
    replayed(1, 1, 200);
    answered(3, 1, 200);

    assertThat(kinds(ReceiverLog.of(log))).containsExactly(UNACKNOWLEDGED);
  }

  @Test
  void numberThatIsNotMarkedMayNotComeAfterALaterOneBecauseAReplayDid() {
    answered(1, 1, 200);
    answered(2, 1, 200);
    replayed(1, 1, 200);
    answered(1, 1, 200);

    assertThat(kinds(ReceiverLog.of(log).afterCrashes(5))).containsExactly(REORDER);
  }

  @Test
  void replayHasTheIdOfItsNumber() {
    answered(1, 1, 200);
    request("k", 1, 1, "seriatim-replay", "true", "webhook-id", "other~s").completed(++tick, 200);

    assertThat(kinds(ReceiverLog.of(log))).containsExactly(IDENTITY);
  }

  @Test
  void attemptsBeginAgainAfterANewStartOnly() {
    answered(1, 1, 503);
    answered(1, 2, 503);
    answered(1, 1, 200);

    assertThat(kinds(ReceiverLog.of(log))).containsExactly(IDENTITY);
    assertThat(ReceiverLog.of(log).afterNewStarts().violations()).isEmpty();
  }

  private void replayed(long sequence, int attempt, int status) {
    request("k", sequence, attempt, "seriatim-replay", "true").completed(++tick, status);
  }

  private static List<ReceiverLog.Kind> kinds(ReceiverLog log) {
    return log.violations().stream().map(ReceiverLog.Violation::kind).toList();
  }

  private void answered(long sequence, int attempt, int status) {
    request("k", sequence, attempt).completed(++tick, status);
  }

  private Received request(String key, long sequence, int attempt, String... more) {
    Map<String, String> headers = new HashMap<>();
    headers.put("webhook-id", "e" + key + sequence + "~s");
    headers.put("seriatim-key", key);
    headers.put("seriatim-sequence", Long.toString(sequence));
    headers.put("seriatim-attempt", Integer.toString(attempt));
    for (int i = 0; i < more.length; i += 2) {
      headers.put(more[i], more[i + 1]);
    }
    Received request = new Received("/s", headers, new byte[0], ++tick);
    log.add(request);
    return request;
  }
}
