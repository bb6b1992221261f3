-- The waits between attempts one by one, in milliseconds; null where the waits grow by a backoff, as in all rows so far.
--
-- With a schedule the columns of the backoff hold the nearest one: as many attempts, from the shortest wait to the longest. A
-- pod of an earlier version beside new ones reads these only: it retries about as often and over about the same time, and
-- shows the backoff. What it changes (URL, headers, …) leaves the schedule as it is. A change of retry that reaches it, while
-- there is a schedule, has no effect on newer pods and must be made again.
alter table subscription
  add column retry_schedule_ms bigint[] check (cardinality(retry_schedule_ms) > 0 and 0 <= all (retry_schedule_ms));

-- How long the wait before next_attempt_at is, in milliseconds, where it is the retry policy's own; null where the receiver
-- asked for it (Retry-After). An owner that knows of a policy changed since lets the delivery wait no longer than that one
-- would have from the same failure. A pod of an earlier version writes next_attempt_at alone: the wait kept here is then that
-- of an earlier attempt. Counted back from next_attempt_at it changes nothing while waits grow from attempt to attempt;
-- where it was longer than the latest one, the next attempt comes sooner than that pod set it, once.
alter table delivery add column own_wait_ms bigint;
