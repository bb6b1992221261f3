package dev.seriatim.development;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.development.DemoOrders.OrderEvent;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DemoOrdersTests {

  @Test
  void everyOrderGoesThroughItsStepsOneByOne() {
    DemoOrders orders = new DemoOrders("run", new SplittableRandom(1));
    Map<String, Integer> steps = new HashMap<>();
    Set<String> ids = new HashSet<>();
    for (int i = 0; i < 10_000; i++) {
      OrderEvent event = orders.next();
      assertThat(event.step()).isEqualTo(steps.merge(event.order(), 1, Integer::sum) - 1);
      assertThat(ids.add(event.id())).isTrue();
    }
    assertThat(steps).hasSizeGreaterThan(1_900);
  }

  @Test
  void ordersAreInterleaved() {
    Set<String> first = new LinkedHashSet<>();
    DemoOrders orders = new DemoOrders("run", new SplittableRandom(1));
    Stream.generate(orders::next).limit(30).forEach(event -> first.add(event.order()));

    assertThat(first).hasSizeGreaterThan(5);
  }

  @Test
  void sameSeedGivesTheSameDay() {
    assertThat(day(new DemoOrders("run", new SplittableRandom(5))))
        .isEqualTo(day(new DemoOrders("run", new SplittableRandom(5))));
  }

  @Test
  void aboutOneInSevenIsRefusedAtFirstOnceOrTwice() {
    List<Integer> refusals =
        day(new DemoOrders("run", new SplittableRandom(1))).stream()
            .map(event -> DemoReceiver.refusals(event.id() + "~demo-orders"))
            .toList();

    assertThat(refusals).containsOnly(0, 1, 2);
    assertThat(refusals.stream().filter(count -> count == 1).count()).isBetween(40L, 110L);
    assertThat(refusals.stream().filter(count -> count == 2).count()).isBetween(40L, 110L);
  }

  private static List<OrderEvent> day(DemoOrders orders) {
    return IntStream.range(0, 1000).mapToObj(i -> orders.next()).toList();
  }
}
