package dev.seriatim.scenario;

import java.time.Duration;
import java.util.regex.Pattern;

/**
 * What a fault may cost, at most.
 *
 * @param crashes how often each lane may see its current delivery again
 * @param gap the longest that an endpoint may hear nothing while events are published for it
 * @param warnings what pods may log as warnings or errors
 */
record Allowance(int crashes, Duration gap, Pattern warnings) {

  private static final Pattern NOTHING = Pattern.compile("(?!)");

  /** No repeat, no word. */
  static Allowance clean(Duration gap) {
    return new Allowance(0, gap, NOTHING);
  }

  /** One repeat for each lane, no word. */
  static Allowance crash(Duration gap) {
    return new Allowance(1, gap, NOTHING);
  }

  Allowance crashes(int count) {
    return new Allowance(count, gap, warnings);
  }

  /**
   * @param regex found in the line that is allowed
   */
  Allowance warning(String regex) {
    return new Allowance(crashes, gap, Pattern.compile(regex));
  }
}
