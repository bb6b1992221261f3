create table later (
  id   bigint generated always as identity primary key,
  name text not null
);
create index later_name on later (name);
insert into later (name) values ('made');
