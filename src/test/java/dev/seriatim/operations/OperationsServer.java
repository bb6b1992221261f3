package dev.seriatim.operations;

import dev.seriatim.TestDatabase;
import dev.seriatim.audit.Audit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.FilterType;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The operators' side alone, on a real web server and a database of its own. Not annotated as a
 * configuration, so that tests which start the whole service do not find it.
 */
@ImportAutoConfiguration({
  TomcatServletWebServerAutoConfiguration.class,
  DispatcherServletAutoConfiguration.class,
  WebMvcAutoConfiguration.class,
  ErrorMvcAutoConfiguration.class,
  HttpMessageConvertersAutoConfiguration.class,
  JacksonAutoConfiguration.class
})
@Import({
  EventStatusController.class,
  EventStatusQuery.class,
  DeadLetterController.class,
  DeadLetterQuery.class,
  AttemptController.class,
  AttemptQuery.class,
  AttemptSources.class,
  AuditController.class,
  AuditQuery.class,
  Audit.class,
  RecentAttempts.class,
  LaneController.class,
  LaneQuery.class,
  LaneActionController.class,
  LaneActions.class,
  LaneTable.class,
  PartitionController.class,
  PartitionActions.class
})
@ComponentScan(
    basePackages = "dev.seriatim.api",
    useDefaultFilters = false,
    includeFilters =
        @ComponentScan.Filter(
            type = FilterType.REGEX,
            pattern = ".*\\.(ProblemAdvice|ErrorPath|JsonConfiguration|WebConfiguration|Operator)"))
class OperationsServer {

  @Bean(destroyMethod = "close")
  TestDatabase database() {
    return TestDatabase.create();
  }

  /** One connection, so that a query inside of another one would be found out. */
  @Bean(destroyMethod = "")
  DataSource dataSource(TestDatabase database) {
    return database.dataSource(1);
  }

  @Bean
  JdbcClient jdbc(DataSource dataSource) {
    return JdbcClient.create(dataSource);
  }

  /** How often owners were told to look. */
  @Bean
  AtomicInteger looks() {
    return new AtomicInteger();
  }

  @Bean
  Repairs repairs(TransactionTemplate transaction, AtomicInteger looks) {
    return new Repairs(new Repeatable(transaction), looks::incrementAndGet);
  }

  @Bean
  TransactionTemplate transaction(DataSource dataSource) {
    return new TransactionTemplate(new JdbcTransactionManager(dataSource));
  }
}
