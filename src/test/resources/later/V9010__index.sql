-- On its own, since it cannot be part of a transaction; and to be tried again, since one that broke off leaves an index that is
-- of no use.
drop index concurrently if exists event_later;
create index concurrently event_later on event (later) where later is not null;
