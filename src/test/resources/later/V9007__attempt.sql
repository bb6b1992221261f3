-- All of its days as well, and those that pods of this version make from then on.
alter table attempt add column later text;
