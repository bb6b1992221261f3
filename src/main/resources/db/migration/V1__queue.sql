-- The words are those of the design: topology, partition, worker, subscription, event, lane, delivery,
-- dead letter, attempt. Every timestamp is timestamptz; every decision about ownership uses this database's clock.

-- One row, written at the first start. A pod whose configuration disagrees refuses to start.
create table topology (
  singleton       boolean primary key default true check (singleton),
  partition_count integer not null check (partition_count between 1 and 4096),
  hash            text    not null,
  version         bigint  not null default 1
);

-- The lease rows. epoch grows by one per acquisition and fences every write of a drainer.
-- Rows are updated every few seconds and nothing mutable is indexed, so that updates stay on their page (HOT).
create table partition (
  id          integer primary key,
  epoch       bigint  not null default 0,
  owner       uuid,
  worker      text,
  acquired_at timestamptz,
  lease_until timestamptz
) with (fillfactor = 25, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- Live pods, for fair shares only; never a proof of ownership.
create table worker (
  id         text primary key,
  started_at timestamptz not null default clock_timestamp(),
  seen_at    timestamptz not null default clock_timestamp()
) with (fillfactor = 25, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

create table subscription (
  pk               bigint generated always as identity primary key,
  id               text not null,
  tenant           text not null,
  url              text not null,
  event_types      text[] not null,
  ordering         text not null check (ordering in ('SUBSCRIPTION', 'RESOURCE', 'TENANT', 'NONE')),
  on_exhausted     text not null check (on_exhausted in ('EJECT')),
  blocks           text not null check (blocks in ('LANE')),
  max_attempts     integer not null check (max_attempts > 0),
  initial_delay_ms bigint not null check (initial_delay_ms >= 0),
  multiplier       double precision not null check (multiplier >= 1),
  max_delay_ms     bigint not null check (max_delay_ms >= initial_delay_ms),
  jitter           double precision not null check (jitter between 0 and 1),
  max_age_ms       bigint not null check (max_age_ms > 0),
  timeout_ms       bigint not null check (timeout_ms > 0),
  max_in_flight    integer not null check (max_in_flight > 0),
  headers          jsonb not null default '{}',
  state            text not null default 'ENABLED' check (state in ('ENABLED', 'DISABLED', 'DELETED')),
  disabled_reason  text,
  created_at       timestamptz not null default clock_timestamp(),
  updated_at       timestamptz not null default clock_timestamp(),
  -- The transaction of the last change: owners ask "what changed at or after this snapshot's xmin", which,
  -- unlike a timestamp, cannot miss a change that commits late.
  changed_tx       xid8 not null default pg_current_xact_id()
);
-- An id is free again once its subscription is deleted.
create unique index subscription_id on subscription (id) where state <> 'DELETED';
create index subscription_tenant on subscription (tenant, id);
create index subscription_changed on subscription (changed_tx);

create table subscription_secret (
  pk              bigint generated always as identity primary key,
  subscription_pk bigint not null references subscription (pk),
  secret          text not null,
  created_at      timestamptz not null default clock_timestamp()
);
create index subscription_secret_subscription on subscription_secret (subscription_pk);

-- Numbers events and deliveries, so that one round trip reserves both for a batch.
create sequence queue_id;

create table event (
  pk           bigint primary key,
  tenant       text not null,
  id           text not null,
  type         text not null,
  resource     text,
  content_type text not null,
  -- The bytes as they came in. Never jsonb: jsonb reorders keys, rewrites numbers and rejects \u0000.
  payload      bytea not null,
  fingerprint  bytea not null,
  -- What the producer was answered: a repeat of the same event is answered the same, even after its deliveries left the queue.
  deliveries   jsonb not null,
  tx           xid8 not null default pg_current_xact_id(),
  published_at timestamptz not null default clock_timestamp(),
  unique (tenant, id)
);

-- subscription_pk is null for the ordering scope TENANT: the lane is shared by all of the tenant's subscriptions with this scope.
-- A lane outlives its deliveries: it remembers the last sequence.
create table lane (
  id              bigint generated always as identity primary key,
  tenant          text not null,
  subscription_pk bigint references subscription (pk),
  key             text not null,
  last_sequence   bigint not null default 0,
  unique nulls not distinct (tenant, subscription_pk, key)
) with (fillfactor = 70);

-- The queue. A row leaves when it is settled. Exactly two access paths: a partition in commit order, a lane in sequence.
-- Nothing mutable is indexed, so that a retry's update stays on its page (HOT).
create table delivery (
  partition        integer not null,
  tx               xid8    not null default pg_current_xact_id(),
  id               bigint  not null,
  lane_id          bigint,
  sequence         bigint,
  event_pk         bigint  not null,
  subscription_pk  bigint  not null,
  attempts         integer not null default 0,
  first_attempt_at timestamptz,
  next_attempt_at  timestamptz,
  last_verdict     text,
  enqueued_at      timestamptz not null default clock_timestamp(),
  primary key (partition, tx, id),
  check ((lane_id is null) = (sequence is null))
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
        autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 100000);
create unique index delivery_lane on delivery (lane_id, sequence) where lane_id is not null;

create table dead_letter (
  id               bigint generated always as identity primary key,
  tenant           text not null,
  subscription_pk  bigint not null,
  event_pk         bigint not null,
  delivery_id      bigint not null,
  lane_id          bigint,
  sequence         bigint,
  attempts         integer not null,
  reason           text not null,
  last_verdict     text not null,
  enqueued_at      timestamptz not null,
  first_attempt_at timestamptz,
  ejected_at       timestamptz not null default clock_timestamp()
);
create index dead_letter_tenant on dead_letter (tenant, id);
create index dead_letter_subscription on dead_letter (subscription_pk, id);
create index dead_letter_event on dead_letter (event_pk);

-- Append-only history, one table a day, made ahead by the service and dropped by day.
create table attempt (
  at               timestamptz not null default clock_timestamp(),
  event_pk         bigint  not null,
  subscription_pk  bigint  not null,
  delivery_id      bigint  not null,
  lane_id          bigint,
  sequence         bigint,
  partition        integer not null,
  epoch            bigint  not null,
  worker           text    not null,
  attempt          integer not null,
  verdict          text    not null,
  status           integer,
  duration_ms      integer not null,
  address          text,
  location         text,
  response_headers text,
  response_body    bytea
) partition by range (at);
create index attempt_event on attempt (event_pk);
-- Catches what a missing day would refuse: an attempt is never lost for want of a table.
create table attempt_default partition of attempt default;
