package dev.seriatim.development;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.development.OrderLedger.Line;
import dev.seriatim.development.OrderLedger.Report;
import dev.seriatim.development.OrderLedger.Step;
import dev.seriatim.development.OrderLedger.Totals;
import java.util.List;
import org.junit.jupiter.api.Test;

class DemoTableTests {

  @Test
  void showsWhatArrivedPerOrderAndThatItHeld() {
    Line plain =
        new Line("3f2a-0001", 1, List.of(step(1, "placed", 0), step(2, "paid", 2)), 0, null);
    Line refused = new Line("3f2a-0002", 1, List.of(step(1, "placed", 0)), 1, null);
    Totals totals = new Totals(1200, 5000, 40, 0, 0, 0, 0, null);

    assertThat(DemoTable.render(5003, new Report(totals, List.of(plain, refused))))
        .isEqualTo(
            """

              order      what arrived: sequence and step, + for each attempt refused before
              3f2a-0001  1 placed  2 paid++
              3f2a-0002  1 placed  (refused once, comes again)
              5,003 published, 5,000 arrived, 40 attempts refused by the receiver, 0 repeats, 0 wrong signatures
              Order held: 1,200 orders, each in sequence, nothing missing, never two requests at once
            """);
  }

  @Test
  void saysWhichOrdersBeganInAnEarlierRun() {
    Line continued = new Line("0aaa-0007", 4, List.of(step(4, "shipped", 0)), 0, null);
    Totals totals = new Totals(1, 1, 0, 0, 0, 1, 0, null);

    assertThat(DemoTable.render(0, new Report(totals, List.of(continued))))
        .contains("0aaa-0007  4 shipped   [here from 4 on]\n")
        .contains("at once (1 began in a run before this one)\n");
  }

  @Test
  void saysWhereTheOrderBroke() {
    Line broken = new Line("a", 1, List.of(step(3, "packed", 0)), 0, "3 came when 2 was due");
    Totals totals = new Totals(7, 1, 0, 0, 0, 0, 1, "a: 3 came when 2 was due");

    assertThat(DemoTable.render(9, new Report(totals, List.of(broken))))
        .contains("3 packed   [ORDER BROKEN: 3 came when 2 was due]")
        .contains("ORDER BROKEN 1 times in 7 orders; first a: 3 came when 2 was due")
        .doesNotContain("Order held");
  }

  @Test
  void claimsNothingBeforeAnythingArrived() {
    Totals totals = new Totals(0, 0, 0, 0, 0, 0, 0, null);

    assertThat(DemoTable.render(3, new Report(totals, List.of())))
        .contains("Nothing has arrived yet")
        .doesNotContain("Order held");
  }

  private static Step step(long sequence, String what, int refused) {
    return new Step(sequence, what, refused);
  }
}
