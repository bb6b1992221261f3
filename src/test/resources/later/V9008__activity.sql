alter table partition_activity add column later text;
