package dev.seriatim.operations;

import java.time.LocalDate;
import java.util.List;
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
 * the drainers start and every ten minutes. Any number of pods may do so at once. If a day is
 * missing all the same, its attempts go to {@code attempt_default}, and its table, once it can be
 * made, begins behind them: a table's range must hold no row of the default.
 */
@Component
class AttemptDays implements InitializingBean {

  private static final Logger log = LoggerFactory.getLogger(AttemptDays.class);
  private static final int DAYS_AHEAD = 7;

  private static final String MISSING =
      """
      select wanted.day
      from generate_series(0, :ahead) as n
      cross join lateral (select (statement_timestamp() at time zone 'UTC')::date + n as day) wanted
      where not exists (
        select from pg_inherits i
        join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'attempt'::regclass and c.relname = to_char(wanted.day, '"attempt_"YYYYMMDD'))
      order by wanted.day
      """;

  // Two pods that create the same table at once would fail each other.
  private static final String ONE_POD_AT_A_TIME =
      "select pg_advisory_xact_lock(hashtext('seriatim attempt days'))";

  // A function of the schema, which has the right to create tables; the service has not.
  private static final String MAKE = "select make_attempt_day(:day::date)";

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

  @Scheduled(initialDelayString = "PT10M", fixedDelayString = "PT10M")
  void makeAhead() {
    for (LocalDate day : missing()) {
      try {
        transaction.executeWithoutResult(status -> make(day));
      } catch (DataAccessException e) {
        report(day, e);
        if (LockTimeout.ran(e)) {
          return; // the others would wait for the same lock
        }
      }
    }
  }

  private static void report(LocalDate day, DataAccessException failure) {
    if (LockTimeout.ran(failure)) {
      log.info(
          "The table for the attempts of {} is made when a long query or a backup ends; until then they go to attempt_default",
          day);
    } else {
      log.warn(
          "Attempts of {} go to attempt_default, their own table could not be made: {}",
          day,
          failure.toString());
    }
  }

  private List<LocalDate> missing() {
    return jdbc.sql(MISSING)
        .param("ahead", DAYS_AHEAD)
        .query((row, number) -> row.getObject("day", LocalDate.class))
        .list();
  }

  private void make(LocalDate day) {
    jdbc.sql(ONE_POD_AT_A_TIME).query(row -> {});
    if (!missing().contains(day)) {
      return;
    }
    LockTimeout.set(jdbc, LockTimeout.SHORT);
    jdbc.sql(MAKE).param("day", day).query(row -> {});
  }
}
