package dev.seriatim.development;

import dev.seriatim.development.OrderLedger.Line;
import dev.seriatim.development.OrderLedger.Report;
import dev.seriatim.development.OrderLedger.Step;
import dev.seriatim.development.OrderLedger.Totals;
import java.util.Locale;
import java.util.stream.Collectors;

/** What the demo prints: what arrived per order, and whether the order held. Pure. */
final class DemoTable {

  private DemoTable() {}

  /**
   * @param published events that the API has accepted in this run
   */
  static String render(long published, Report report) {
    StringBuilder table = new StringBuilder();
    table.append(
        "\n  order      what arrived: sequence and step, + for each attempt refused before\n");
    for (Line line : report.recent()) {
      table.append("  %-10s %s\n".formatted(line.key(), row(line)));
    }
    table.append("  ").append(totals(published, report.totals())).append('\n');
    return table.append("  ").append(verdict(report.totals())).append('\n').toString();
  }

  private static String row(Line line) {
    String steps = line.steps().stream().map(DemoTable::step).collect(Collectors.joining("  "));
    StringBuilder row = new StringBuilder(steps);
    if (steps.isEmpty() && line.refused() == 0) {
      row.append("(under way)");
    }
    if (line.refused() > 0) {
      row.append(steps.isEmpty() ? "" : "  ")
          .append("(refused ")
          .append(times(line.refused()))
          .append(", comes again)");
    }
    if (line.first() > 1) {
      row.append("   [here from ").append(line.first()).append(" on]");
    }
    if (line.fault() != null) {
      row.append("   [ORDER BROKEN: ").append(line.fault()).append(']');
    }
    return row.toString();
  }

  private static String step(Step step) {
    return step.sequence() + " " + step.what() + "+".repeat(step.refused());
  }

  private static String times(int count) {
    return switch (count) {
      case 1 -> "once";
      case 2 -> "twice";
      default -> count + " times";
    };
  }

  private static String totals(long published, Totals totals) {
    return String.format(
        Locale.ROOT,
        "%,d published, %,d arrived, %,d attempts refused by the receiver, %,d repeats, %,d wrong signatures",
        published,
        totals.accepted(),
        totals.refused(),
        totals.repeats(),
        totals.forged());
  }

  private static String verdict(Totals totals) {
    if (totals.keys() == 0) {
      return "Nothing has arrived yet; after a run that was killed, not before its leases have run out";
    }
    if (totals.faults() > 0) {
      return String.format(
          Locale.ROOT,
          "ORDER BROKEN %,d times in %,d orders; first %s",
          totals.faults(),
          totals.keys(),
          totals.firstFault());
    }
    String verdict =
        String.format(
            Locale.ROOT,
            "Order held: %,d orders, each in sequence, nothing missing, never two requests at once",
            totals.keys());
    return totals.continued() == 0
        ? verdict
        : verdict
            + String.format(
                Locale.ROOT, " (%,d began in a run before this one)", totals.continued());
  }
}
