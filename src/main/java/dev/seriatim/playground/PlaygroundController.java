package dev.seriatim.playground;

import dev.seriatim.api.ProblemException;
import io.swagger.v3.oas.annotations.Hidden;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Runs of the page {@code /playground}. They hold no data, so anybody may ask for them. */
@Hidden // of the page, which comes with it: no part of the API
@RestController
class PlaygroundController {

  /** Takes milliseconds: at most 45 events, four ways. */
  @GetMapping("/playground/api/runs")
  Run run(
      @RequestParam(name = "seed", defaultValue = "1") int seed,
      @RequestParam(name = "consumers", defaultValue = "4") int consumers,
      @RequestParam(name = "failing", defaultValue = "IN_PLACE") Switches.Failing failing,
      @RequestParam(name = "shuffled", defaultValue = "true") boolean shuffled,
      @RequestParam(name = "hot", defaultValue = "false") boolean hot) {
    check("seed", seed, 0, Switches.MAX_SEED);
    check("consumers", consumers, 1, Switches.MAX_CONSUMERS);
    return Run.of(new Switches(seed, consumers, failing, shuffled, hot));
  }

  private static void check(String name, int value, int from, int to) {
    if (value < from || value > to) {
      throw ProblemException.invalid(
          name, "must be a whole number from %d to %d".formatted(from, to));
    }
  }
}
