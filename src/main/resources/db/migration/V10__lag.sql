-- What is known of each partition beyond its own row, for people and meters; nothing is decided by it. Both tables are
-- unlogged: a crash of the database empties them, and they are full again an interval later.

-- Written by the owner, once per interval.
create unlogged table partition_activity (
  partition            integer primary key,
  -- The owner's: a row of another epoch than the partition's says nothing any more.
  epoch                bigint not null,
  in_flight            integer not null,
  delivered_per_second double precision not null,
  -- The last attempt that failed since the owner has the partition; all null when none did.
  error_verdict        text,
  error_status         integer,
  error_subscription   bigint,
  error_at             timestamptz,
  reported_at          timestamptz not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- Counted by one pod for all. What there is to read grows with the queue, so it is done no more often than the database can bear.
create unlogged table partition_count (
  partition  integer primary key,
  depth      bigint not null,
  -- Lanes with something queued: those that wait for their head's next attempt, those that are held, and the rest.
  active     bigint not null,
  waiting    bigint not null,
  held       bigint not null,
  counted_at timestamptz not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
