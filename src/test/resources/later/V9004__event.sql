alter table event add column later text, add column later_bytes bytea;
