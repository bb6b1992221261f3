-- The waits between attempts one by one, in milliseconds; null where the waits grow by a backoff, as in all rows so far.
--
-- With a schedule the columns of the backoff hold the nearest one: as many attempts, from the shortest wait to the longest. A
-- pod of an earlier version beside new ones reads these only: it retries about as often and over about the same time, and
-- shows the backoff. What it changes (URL, headers, …) leaves the schedule as it is. A change of retry that reaches it, while
-- there is a schedule, has no effect on newer pods and must be made again.
alter table subscription
  add column retry_schedule_ms bigint[] check (cardinality(retry_schedule_ms) > 0 and 0 <= all (retry_schedule_ms));
