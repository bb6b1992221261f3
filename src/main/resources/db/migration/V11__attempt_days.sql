-- The service makes and drops the tables of days of its history while it runs. That is all it changes about tables, and these
-- functions do it for it, with the rights of their owner: the user that pods have needs none to create, alter or drop anything.
-- Pods of an earlier version do it themselves, as the owner that they are. Whoever calls sets lock_timeout and sees to it that
-- nobody else makes a day at the same time.

-- A name that somebody else put before ours must not be run with the owner's rights, hence search_path. That the day is near
-- keeps a pod from filling the catalog.
create function make_attempt_day(which date) returns void
language plpgsql
security definer
set search_path = "${flyway:defaultSchema}", pg_temp
as $$
declare
  today   constant date := (statement_timestamp() at time zone 'UTC')::date;
  day     constant text := to_char(which, '"attempt_"YYYYMMDD');
  midnight constant timestamptz := which::timestamp at time zone 'UTC';
  next    constant timestamptz := (which + 1)::timestamp at time zone 'UTC';
  -- Not to depend on how the session writes times.
  written constant text := 'YYYY-MM-DD HH24:MI:SS.US"+00"';
  begins  timestamptz;
begin
  if which not between today - 1 and today + 31 then
    raise exception '% is not near enough to % for a table of its own', which, today using errcode = 'invalid_parameter_value';
  end if;
  -- Made first and attached then: that way nobody who records or reads attempts of other days is in the way, nor kept
  -- waiting. CREATE TABLE … PARTITION OF would lock all of them out.
  execute format('create table %I (like attempt including defaults)', day);
  -- Nothing more comes in while the table's range is settled. Only readers of the whole history have it otherwise, and they
  -- wait for this a short while at most.
  lock table only attempt_default in access exclusive mode;
  -- A table's range must hold no row of the default, so it begins behind them.
  select coalesce(max(at) + interval '1 microsecond', midnight) into begins
  from attempt_default where at >= midnight and at < next;
  -- Looks through attempt_default, which is empty unless something went wrong for long.
  execute format('alter table attempt attach partition %I for values from (%L) to (%L)',
    day, to_char(begins at time zone 'UTC', written), to_char(next at time zone 'UTC', written));
end
$$;

-- By name, which retention has from the catalog. First what is fought for, with the caller's patience; then, without any, what
-- only somebody who reads a day by its own name, or a vacuum, can have.
create function drop_attempt_day(day text) returns void
language plpgsql
security definer
set search_path = "${flyway:defaultSchema}", pg_temp
as $$
declare
  found_day regclass;
begin
  select c.oid into found_day
  from pg_inherits i
  join pg_class c on c.oid = i.inhrelid
  where i.inhparent = 'attempt'::regclass and c.relname = day and day ~ '^attempt_[0-9]{8}$';
  if found_day is null then
    raise exception '% is no day of the history of attempts', day using errcode = 'undefined_table';
  end if;
  lock table only attempt in access exclusive mode;
  execute format('lock table only %s, only attempt_default in access exclusive mode nowait', found_day);
  execute format('drop table %s', found_day);
end
$$;

-- PostgreSQL lets everybody call a new function. Who may is in roles.sql.
revoke execute on function make_attempt_day(date), drop_attempt_day(text) from public;
