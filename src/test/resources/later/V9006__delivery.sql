alter table delivery add column later text, add column later_count integer not null default 0;
