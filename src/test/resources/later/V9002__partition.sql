alter table partition add column later text, add column later_count bigint not null default 0;
