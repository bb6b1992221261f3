package dev.seriatim.development;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.seriatim.SeriatimApplication;
import dev.seriatim.TestDatabase;
import dev.seriatim.TestService;
import dev.seriatim.development.OrderLedger.Totals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

@ExtendWith(OutputCaptureExtension.class)
class DemoIntegrationTests {

  @Test
  void ordersArriveInOrderAndASecondRunGoesOn(CapturedOutput output) {
    try (TestDatabase database = TestDatabase.create()) {
      try (ConfigurableApplicationContext first = run(database)) {
        requireOrder(first);
        await("the table").atMost(limit()).until(() -> output.getOut().contains("Order held: "));
      }
      assertThat(state(database)).isEqualTo("DISABLED the demo has stopped");

      String token = "a token of the second run".replace(' ', '-');
      try (ConfigurableApplicationContext second =
          run(database, "seriatim.security.token=" + token)) {
        requireOrder(second);
      }
      assertThat(output.getOut()).doesNotContain("ORDER BROKEN");
      assertThat(
              JdbcClient.create(database.dataSource(1))
                  .sql("select count(*) from subscription")
                  .query(Integer.class)
                  .single())
          .isEqualTo(1);
    }
  }

  @Test
  void nothingOfItRunsWithoutTheProfile() {
    try (TestService service = TestService.start()) {
      assertThatThrownBy(() -> service.bean(Demo.class))
          .isInstanceOf(NoSuchBeanDefinitionException.class);
      assertThatThrownBy(() -> service.bean(DemoReceiver.class))
          .isInstanceOf(NoSuchBeanDefinitionException.class);
      assertThat(service.get("/v1/subscriptions").json().at("/items").isEmpty()).isTrue();
    }
  }

  private static void requireOrder(ConfigurableApplicationContext context) {
    OrderLedger ledger = context.getBean(OrderLedger.class);
    await("events and retries arrive")
        .atMost(limit())
        .until(
            () -> {
              Totals totals = ledger.report(0).totals();
              return totals.accepted() >= 20 && totals.refused() >= 2;
            });
    Totals totals = ledger.report(0).totals();
    assertThat(totals.firstFault()).isNull();
    assertThat(totals.repeats()).isZero();
    assertThat(totals.forged()).isZero();
    assertThat(context.getBean(Demo.class).published()).isPositive();
  }

  private static ConfigurableApplicationContext run(TestDatabase database, String... properties) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--spring.profiles.active=demo",
                "--server.port=0",
                "--spring.datasource.url=" + database.url(),
                "--spring.datasource.username=" + database.username(),
                "--spring.datasource.password=" + database.password(),
                "--spring.main.banner-mode=off"));
    for (String property : properties) {
      arguments.add("--" + property);
    }
    return new SpringApplicationBuilder(SeriatimApplication.class)
        .run(arguments.toArray(String[]::new));
  }

  private static String state(TestDatabase database) {
    return JdbcClient.create(database.dataSource(1))
        .sql("select state || ' ' || disabled_reason from subscription")
        .query(String.class)
        .single();
  }

  private static Duration limit() {
    return Duration.ofSeconds(60);
  }
}
