-- What a later release might add: columns that may be null or have a constant default, a table, a function. Tests make it under
-- pods of this version, which know nothing of it.
alter table topology add column later text;
alter table partition add column later text, add column later_count bigint not null default 0;
alter table worker add column later text not null default 'nothing';
alter table subscription add column later text[];
alter table event add column later text, add column later_bytes bytea;
alter table lane add column later jsonb not null default '{}';
alter table delivery add column later text, add column later_count integer not null default 0;
alter table dead_letter add column later text;
-- All of its days as well, and those that pods of this version make from then on.
alter table attempt add column later text;
alter table audit add column later text;
alter table job add column later text;
alter table partition_activity add column later text;

create table later (
  id   bigint generated always as identity primary key,
  name text not null
);
create index later_name on later (name);
insert into later (name) values ('made');
