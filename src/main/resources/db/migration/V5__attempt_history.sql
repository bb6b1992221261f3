-- The history of an endpoint, newest first. Besides that of the event the only index that every attempt pays for: 43 bytes of disk
-- and 90 of WAL, which is 6 % of the WAL of a delivery from publishing to settling. There is none by lane: with many lanes every
-- attempt would dirty a page of its own. (Making it holds up settling for as long as it takes to read the history once.)
create index attempt_subscription on attempt (subscription_pk, at);
-- The same for what is mostly looked for: failures among millions that went well. Those write nothing to it.
create index attempt_failure on attempt (subscription_pk, at) where verdict <> 'DELIVERED';
-- Deleted subscriptions, too, are asked for by id. Written when a subscription is made or changed.
create index subscription_any_state on subscription (id);
