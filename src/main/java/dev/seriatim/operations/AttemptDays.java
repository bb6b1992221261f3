package dev.seriatim.operations;

import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionOperations;

/**
 * Makes the tables of the attempt history ahead, one a day (UTC, by the database's clock), before
 * the drainers start and every hour. Any number of pods may do so at once. If a day is missing all
 * the same, its attempts go to {@code attempt_default}.
 */
@Component
class AttemptDays implements InitializingBean {

  private static final Logger log = LoggerFactory.getLogger(AttemptDays.class);
  private static final int DAYS_AHEAD = 7;

  private static final String TODAY = "select (clock_timestamp() at time zone 'UTC')::date";

  private static final String EXISTS = "select to_regclass(:table) is not null";

  // Two pods that create the same table at once would fail each other.
  private static final String ONE_POD_AT_A_TIME =
      "select pg_advisory_xact_lock(hashtext('seriatim attempt days'))";

  private static final String CREATE =
      """
      create table if not exists %s partition of attempt
        for values from ('%s 00:00:00+00') to ('%s 00:00:00+00')
      """;

  private final JdbcClient jdbc;
  private final TransactionOperations transaction;

  AttemptDays(JdbcClient jdbc, TransactionOperations transaction) {
    this.jdbc = jdbc;
    this.transaction = transaction;
  }

  @Override
  public void afterPropertiesSet() {
    makeAhead();
  }

  @Scheduled(initialDelayString = "PT1H", fixedDelayString = "PT1H")
  void makeAhead() {
    LocalDate today = jdbc.sql(TODAY).query(LocalDate.class).single();
    for (int ahead = 0; ahead <= DAYS_AHEAD; ahead++) {
      make(today.plusDays(ahead));
    }
  }

  private void make(LocalDate day) {
    String table = "attempt_" + day.format(DateTimeFormatter.BASIC_ISO_DATE);
    if (jdbc.sql(EXISTS).param("table", table).query(Boolean.class).single()) {
      return;
    }
    try {
      transaction.executeWithoutResult(
          status -> {
            jdbc.sql(ONE_POD_AT_A_TIME).query(row -> {});
            jdbc.sql(CREATE.formatted(table, day, day.plusDays(1))).update();
          });
    } catch (DataAccessException e) {
      log.warn(
          "Attempts of {} go to attempt_default, its own table could not be made: {}",
          day,
          e.toString());
    }
  }
}
