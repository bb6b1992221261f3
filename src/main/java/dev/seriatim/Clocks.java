package dev.seriatim;

import dev.seriatim.partition.MonotonicClock;
import java.time.Clock;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The only place where the machine's clocks and chance enter: everything else is given them, so
 * that tests can set the time and repeat what chance did.
 */
@Configuration(proxyBeanMethods = false)
class Clocks {

  @Bean
  Clock clock() {
    return Clock.systemUTC();
  }

  @Bean
  MonotonicClock monotonicClock() {
    return System::nanoTime;
  }

  /** Thread-safe; for spreading retries, not for secrets. */
  @Bean
  RandomGenerator randomGenerator() {
    return () -> ThreadLocalRandom.current().nextLong();
  }
}
