alter table lane add column later jsonb not null default '{}';
