package dev.seriatim.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EventTypesTests {

  @ParameterizedTest
  @CsvSource({
    "*,order.paid,true",
    "order.paid,order.paid,true",
    "order.paid,order.paid.twice,false",
    "order.paid,Order.paid,false",
    "order.*,order.paid,true",
    "order.*,order.paid.twice,true",
    "order.*,order.,true",
    "order.*,order,false",
    "order.*,orders.paid,false",
    "a.b.*,a.b.c,true",
    "a.b.*,a.c,false"
  })
  void patternWantsExactNamesAndPrefixes(String pattern, String type, boolean wanted) {
    assertThat(EventTypes.want(List.of("other", pattern), type)).isEqualTo(wanted);
  }
}
