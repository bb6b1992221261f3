-- What retention has to do next, one row for each kind, shared by all pods: whoever holds the lock of a row does that step.
create table retention (
  kind            text primary key check (kind in ('ATTEMPTS', 'EVENTS')),
  due_at          timestamptz not null default '-infinity',
  -- The pod in the middle of it; it alone goes on before due_at. Null between two rounds.
  worker          text,
  -- How far the events have been looked at. Some of those before are kept, which the next look from the start finds.
  position_at     timestamptz not null default '-infinity',
  position_pk     bigint      not null default 0,
  from_start_at   timestamptz not null default '-infinity'
);
insert into retention (kind) values ('ATTEMPTS'), ('EVENTS');

-- Whether anything of an event is still queued. event.deliveries does not tell: what is replayed or moved to another partition
-- has another place. The column never changes, so a retry's update still stays on its page.
create index delivery_event on delivery (event_pk);

-- Oldest first.
create index event_published on event (published_at, pk);

-- Rows that retention has deleted are passed by again at each look from the start until vacuum removes them: sooner than
-- at a fifth of the table.
alter table event set (autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_scale_factor = 0.02);

-- Mostly empty; what is in it is deleted by age, not by day.
create index attempt_default_at on attempt_default (at);
