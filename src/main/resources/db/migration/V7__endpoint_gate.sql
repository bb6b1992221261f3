-- What protects one endpoint: how often it may be called, and what its owner has learnt of its health.

-- rate_limit requests per rate_per_ms, rate_burst at once after a rest; all null: no limit. A pod of an earlier version keeps
-- no rate.
alter table subscription
  add column rate_limit  integer check (rate_limit > 0),
  add column rate_per_ms bigint check (rate_per_ms > 0),
  add column rate_burst  integer check (rate_burst > 0),
  add check (num_nulls(rate_limit, rate_per_ms, rate_burst) in (0, 3));

-- What must outlive the owner of its partition. Written by the owner alone and when something changes, not per request; no
-- row: nothing is known against it. An operator's "enable" and a new URL delete the row.
create table endpoint (
  subscription_pk bigint primary key references subscription (pk),
  -- OPEN: its circuit breaker lets nothing through until the time; after that, half-open, one request at a time.
  state           text not null check (state in ('CLOSED', 'OPEN')),
  -- A sentence for people: why it is open, or held though it is closed.
  reason          text,
  -- Of the state.
  since           timestamptz not null default clock_timestamp(),
  -- Nothing is sent before.
  until           timestamptz,
  -- The first failure after the last success, and how many there were since; as of the last write.
  failing_since   timestamptz,
  failures        bigint not null default 0,
  -- How often it opened without closing in between, which makes each time longer.
  openings        integer not null default 0,
  updated_at      timestamptz not null default clock_timestamp(),
  check (state = 'CLOSED' or (reason is not null and until is not null))
);
