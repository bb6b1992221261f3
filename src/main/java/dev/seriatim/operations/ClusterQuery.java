package dev.seriatim.operations;

import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The part of the {@linkplain LagQuery sample} that belongs to no partition, as columns which are
 * the same in each of its rows: PostgreSQL works each out once.
 */
final class ClusterQuery {

  /** Dead letters that are counted; more are shown as so many. */
  static final int MOST = 10_000;

  // backend_xmin  Of whoever keeps vacuum from removing what was deleted since. Vacuum itself does
  // not count; the
  //               sessions of other users show nothing without pg_read_all_stats.
  static final String COLUMNS =
      """
      (select count(*) from (select from dead_letter where discarded_at is null limit %d) open) as dead_letters,
      (select count(*) from job where finished_at is null) as unfinished_jobs,
      (select count(*) from job where state = 'FAILED' and finished_at > now() - interval '1 day') as failed_jobs,
      extract(epoch from clock_timestamp() - least(
        (select min(xact_start) from pg_stat_activity
         where backend_xmin is not null and pid <> pg_backend_pid() and backend_type <> 'autovacuum worker'
           and datname = current_database()),
        (select min(prepared) from pg_prepared_xacts where database = current_database())
      ))::double precision as xmin_age"""
          .formatted(MOST);

  private ClusterQuery() {}

  static PartitionLag.Cluster read(ResultSet row) throws SQLException {
    return new PartitionLag.Cluster(
        row.getLong("dead_letters"),
        row.getLong("unfinished_jobs"),
        row.getLong("failed_jobs"),
        row.getObject("xmin_age", Double.class));
  }
}
