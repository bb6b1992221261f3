-- The producer's trace, for the requests that deliver the event: as W3C Trace Context writes it, checked and bounded. Null
-- without one. Read with the event and never searched for, so there is no index.
alter table event
  add column traceparent text,
  add column tracestate  text;
