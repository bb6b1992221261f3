-- Bringing deliveries back into the queue, and the long work of bringing back many.

-- Discarded: hidden and not to be replayed. It stays until its event goes, which would look delivered otherwise.
alter table dead_letter add column discarded_at timestamptz;

-- Many are replayed in the order of their lanes, in steps; those without a lane come first.
create index dead_letter_line on dead_letter (coalesce(lane_id, 0), coalesce(sequence, 0), id) where discarded_at is null;

-- Work that takes many transactions. Any pod does the next one, holding the lock of the row: what the row says was done, was.
create table job (
  id          bigint generated always as identity primary key,
  kind        text not null check (kind in ('REPLAY_DEAD_LETTERS', 'REDELIVER')),
  parameters  jsonb not null,
  -- Whose token asked for it.
  operator    text not null,
  -- QUEUED and RUNNING are moved on by the pods' job threads or by an operator who cancels; the others are final.
  state       text not null default 'QUEUED' check (state in ('QUEUED', 'RUNNING', 'DONE', 'CANCELLED', 'FAILED')),
  -- How many there were when it began; null where counting would take as long as the work.
  total       bigint,
  done        bigint not null default 0,
  -- What it came by and left as it was.
  skipped     bigint not null default 0,
  -- Where the next step begins; null before the first one.
  position    jsonb,
  error       text,
  -- Steps that failed since the last one that did not, and when to try again.
  failures    integer not null default 0,
  due_at      timestamptz not null default '-infinity',
  created_at  timestamptz not null default clock_timestamp(),
  started_at  timestamptz,
  finished_at timestamptz,
  check ((state in ('DONE', 'CANCELLED', 'FAILED')) = (finished_at is not null))
);
create index job_unfinished on job (id) where finished_at is null;
