-- How other pods see at once that a pod has died. Both columns are null for a pod that holds no lock: a pooler in between, or
-- an earlier version of Seriatim; its leases then end by running out, as before.
alter table worker
  -- Key of the session advisory lock that this pod holds, fresh for each of its lease connections.
  add column lock bigint,
  -- pg_postmaster_start_time() of the server it was taken on: after a restart or a failover a free lock says nothing.
  add column server_started_at timestamptz,
  -- How long the lock must have been free before others may act: what the pod itself goes by.
  add column takeover_grace_ms bigint,
  -- It gives back what it has and takes nothing more: it has no share, but is not dead either.
  add column leaving boolean not null default false;

-- For people who look; ownership goes by lease_until.
alter table partition add column renewed_at timestamptz;
