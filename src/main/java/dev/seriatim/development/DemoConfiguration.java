package dev.seriatim.development;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.seriatim.subscription.WebhookSecret;
import java.time.Clock;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.core.env.Environment;

/** The demo, only with the profile {@code demo}. */
@Configuration(proxyBeanMethods = false)
@Profile("demo")
class DemoConfiguration {

  /**
   * The same in every run, because the service shows a subscription's secret only once, and guards
   * nothing: it signs made-up orders on their way to this machine.
   */
  private static final WebhookSecret SECRET =
      WebhookSecret.of("the demo's secret, known to everybody".getBytes(US_ASCII));

  private static final long SEED = 20_260_131;
  private static final int KEYS_KEPT = 1000;

  @Bean
  OrderLedger orderLedger() {
    return new OrderLedger(KEYS_KEPT);
  }

  @Bean
  DemoReceiver demoReceiver(OrderLedger ledger, Clock clock) {
    return new DemoReceiver(new WebhookCheck(SECRET, clock), ledger);
  }

  @Bean
  Demo demo(
      Environment environment, DemoReceiver receiver, OrderLedger ledger, RandomGenerator random) {
    String run = "%04x".formatted(random.nextInt(0x10000));
    return new Demo(
        () -> client(environment),
        receiver,
        SECRET,
        new DemoOrders(run, new SplittableRandom(SEED)),
        ledger,
        System.out::print);
  }

  private static DemoClient client(Environment environment) {
    String address = environment.getProperty("server.address", "127.0.0.1");
    String port = environment.getRequiredProperty("local.server.port");
    String token = environment.getProperty("seriatim.security.token", "");
    return new DemoClient(
        "http://" + reachable(address) + ":" + port, token.isEmpty() ? null : token);
  }

  private static String reachable(String address) {
    return switch (address) {
      case "0.0.0.0", "::", "" -> "127.0.0.1";
      default -> address.contains(":") ? "[" + address + "]" : address;
    };
  }
}
