-- What a later release might add to each table that pods are busy with: columns that may be null or have a constant default. Tests
-- make it under pods of this version, which know nothing of it.
alter table subscription add column later text[];
