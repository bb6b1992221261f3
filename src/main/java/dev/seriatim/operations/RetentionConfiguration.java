package dev.seriatim.operations;

import dev.seriatim.partition.WorkerName;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionOperations;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(RetentionSettings.class)
class RetentionConfiguration {

  @Bean
  Retention retention(
      JdbcClient jdbc,
      TransactionOperations transaction,
      WorkerName worker,
      RetentionSettings settings,
      MeterRegistry registry) {
    RetentionTurns turns = new RetentionTurns(jdbc, worker);
    RetentionMeters meters = new RetentionMeters(registry);
    List<RetentionStep> steps = new ArrayList<>();
    if (!settings.attempts().isZero()) {
      steps.add(
          new AttemptRetention(
              jdbc, transaction, turns, meters, settings.attempts(), LockTimeout.SHORT));
    }
    if (!settings.events().isZero()) {
      steps.add(
          new EventRetention(jdbc, transaction, turns, meters, settings, EventRetention.PATIENCE));
    }
    return new Retention(steps, turns, meters);
  }
}
