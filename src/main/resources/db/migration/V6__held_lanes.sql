-- What an operator or a policy can hold, and who did it.

-- HELD: nothing of the lane is sent and nothing is lost; it stands in line, in order, until an operator resumes it.
alter table lane
  add column state text not null default 'ACTIVE' check (state in ('ACTIVE', 'HELD')),
  -- Null while ACTIVE. POLICY: its head ran out of attempts or time. OPERATOR: somebody parked it.
  add column held_by text check (held_by in ('POLICY', 'OPERATOR')),
  -- A sentence for people.
  add column reason text,
  add column held_at timestamptz,
  -- The transaction of the last change that its owner must hear of (as of a subscription): held, resumed, or its head
  -- skipped or to be tried at once. Null as long as there was none. Publishing does not touch it: such an update stays on its page.
  add column changed_tx xid8,
  add check ((state = 'HELD') = (held_by is not null and reason is not null and held_at is not null));
create index lane_changed on lane (changed_tx) where changed_tx is not null;
create index lane_held on lane (held_at, id) where state = 'HELD';

-- PAUSED while paused_at is not null: its owner keeps it and sends nothing.
alter table partition
  add column paused_at timestamptz,
  add column paused_reason text,
  add check ((paused_at is null) = (paused_reason is null));

-- Rows of a held lane or a disabled subscription stand aside: their partition is ~partition, minus one minus the partition, so
-- that whoever reads the partition does not pass by them, and no row pays for another index. Where a row stands decides
-- nothing: lane.state and subscription.state do, and in a lane only the sequence.
alter table delivery
  -- How it came back into the queue: ORIGINAL with the sequence it had, NEW with one at the end of its lane; null if it never left.
  add column replay text check (replay in ('ORIGINAL', 'NEW'));

-- Heads that have failed: few among many. first_attempt_at is written once, so a retry's update still stays on its page.
create index delivery_failing on delivery (partition, first_attempt_at) where first_attempt_at is not null;

alter table subscription
  drop constraint subscription_on_exhausted_check,
  add constraint subscription_on_exhausted_check check (on_exhausted in ('EJECT', 'PARK', 'PAUSE')),
  drop constraint subscription_blocks_check,
  add constraint subscription_blocks_check check (blocks in ('LANE', 'PARTITION'));

-- What operators did, written in the transaction of what they did.
create table audit (
  id       bigint generated always as identity primary key,
  at       timestamptz not null default clock_timestamp(),
  -- Whose token it was.
  operator text not null,
  action   text not null,
  -- What it was done to, such as lane/17, dead-letter/9, partition/3, subscription/orders-acme, job/4.
  target   text not null,
  detail   jsonb not null default '{}'
);
create index audit_target on audit (target, id);
