package dev.seriatim.development;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.development.OrderLedger.Line;
import dev.seriatim.development.OrderLedger.Request;
import dev.seriatim.development.OrderLedger.Step;
import dev.seriatim.development.OrderLedger.Totals;
import org.junit.jupiter.api.Test;

class OrderLedgerTests {

  private final OrderLedger ledger = new OrderLedger(3);

  @Test
  void sequenceWithRetriesHolds() {
    arrives("a", 1, true);
    arrives("a", 2, false);
    arrives("a", 2, false);
    arrives("a", 2, true);
    arrives("a", 3, true);

    assertThat(totals()).isEqualTo(new Totals(1, 3, 2, 0, 0, 0, 0, null));
    assertThat(line().steps())
        .containsExactly(new Step(1, "s1", 0), new Step(2, "s2", 2), new Step(3, "s3", 0));
    assertThat(line().fault()).isNull();
  }

  @Test
  void keysAreIndependent() {
    arrives("a", 1, true);
    arrives("b", 1, false);
    arrives("a", 2, true);

    assertThat(totals().keys()).isEqualTo(2);
    assertThat(totals().faults()).isZero();
  }

  @Test
  void missingNumberBreaksTheOrderOnce() {
    arrives("a", 1, true);
    arrives("a", 3, true);
    arrives("a", 4, true);

    assertThat(totals().faults()).isEqualTo(1);
    assertThat(totals().firstFault()).isEqualTo("a: 3 came when 2 was due");
    assertThat(line().fault()).isEqualTo("3 came when 2 was due");
  }

  @Test
  void numberBeforeItsTurnBreaksTheOrderThoughItIsRefused() {
    arrives("a", 1, false);
    arrives("a", 2, false);

    assertThat(totals().firstFault()).isEqualTo("a: 2 came when 1 was due");
  }

  @Test
  void olderNumberBreaksTheOrder() {
    arrives("a", 1, true);
    arrives("a", 2, true);
    arrives("a", 1, true);

    assertThat(totals().firstFault()).isEqualTo("a: 1 came after 2");
  }

  @Test
  void repeatOfTheLastNumberIsADuplicateAndNoFault() {
    arrives("a", 1, true);
    arrives("a", 1, true);
    arrives("a", 2, true);

    assertThat(totals()).isEqualTo(new Totals(1, 2, 0, 1, 0, 0, 0, null));
  }

  @Test
  void twoRequestsAtOnceBreakTheOrder() {
    Request first = new Request("a", 1, "s1");
    Request second = new Request("a", 2, "s2");
    ledger.begins(first);
    ledger.begins(second);
    ledger.ends(first, true);
    ledger.ends(second, true);

    assertThat(totals().faults()).isEqualTo(1);
    assertThat(totals().firstFault()).isEqualTo("a: two requests at once, the later one is 2");
  }

  @Test
  void keyStartsAtTheFirstNumberSeenAndIsCountedAsContinued() {
    arrives("a", 4, true);
    arrives("a", 5, true);

    assertThat(totals().continued()).isEqualTo(1);
    assertThat(totals().faults()).isZero();
    assertThat(line().first()).isEqualTo(4);
  }

  @Test
  void forgedRequestsAreCountedOnly() {
    ledger.forged();

    assertThat(totals()).isEqualTo(new Totals(0, 0, 0, 0, 1, 0, 0, null));
  }

  @Test
  void remembersTheKeysThatWereActiveLast() {
    for (int i = 0; i < 10_000; i++) {
      arrives("hot", i + 1, true);
      arrives("key" + i, 1, true);
    }

    assertThat(ledger.report(100).recent())
        .extracting(Line::key)
        .containsExactly("key9998", "hot", "key9999");
    assertThat(ledger.report(2).recent()).extracting(Line::key).containsExactly("hot", "key9999");
    assertThat(totals().keys()).isEqualTo(10_001);
    assertThat(totals().accepted()).isEqualTo(20_000);
    assertThat(totals().faults()).isZero();
  }

  private void arrives(String key, long sequence, boolean acknowledged) {
    Request request = new Request(key, sequence, "s" + sequence);
    ledger.begins(request);
    ledger.ends(request, acknowledged);
  }

  private Totals totals() {
    return ledger.report(1).totals();
  }

  private Line line() {
    return ledger.report(1).recent().getFirst();
  }
}
