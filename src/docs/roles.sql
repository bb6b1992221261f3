-- Two users of Seriatim's database: seriatim_owner has the tables and migrates them, seriatim_app is what pods use. It reads and
-- writes rows and changes no table. Run this in that database, as a superuser or, on a managed service, as the user that you were
-- given: before the first migration, once more after it, and again whenever you like. Passwords are up to you: \password seriatim_app

do $$
begin
  if not exists (select from pg_roles where rolname = 'seriatim_owner') then
    create role seriatim_owner login;
  end if;
  if not exists (select from pg_roles where rolname = 'seriatim_app') then
    create role seriatim_app login;
  end if;
end
$$;

-- What follows speaks for the owner, which takes membership, except for a superuser.
grant seriatim_owner to current_user;

revoke create on schema public from public;
grant usage, create on schema public to seriatim_owner;
grant usage on schema public to seriatim_app;

-- For all that migrations are going to make …
alter default privileges for role seriatim_owner in schema public grant select, insert, update, delete on tables to seriatim_app;
alter default privileges for role seriatim_owner in schema public grant usage on sequences to seriatim_app;
alter default privileges for role seriatim_owner in schema public grant execute on functions to seriatim_app;

-- … and for what they have made.
do $$
begin
  set local role seriatim_owner;
  grant select, insert, update, delete on all tables in schema public to seriatim_app;
  grant usage on all sequences in schema public to seriatim_app;
  grant execute on all functions in schema public to seriatim_app;
  -- Pods only look how old the tables are. (This is why once more after the first migration: it makes this table.)
  if to_regclass('public.flyway_schema_history') is not null then
    revoke insert, update, delete on flyway_schema_history from seriatim_app;
  end if;
  reset role;
end
$$;

-- For one meter, seriatim.database.xmin.age: whether anybody, a backup for example, has had a transaction open for long. Without it only the pods' own
-- transactions are seen.
do $$
begin
  grant pg_read_all_stats to seriatim_app;
exception when insufficient_privilege then
  raise notice 'seriatim_app does not see the transactions of others: have somebody who may grant it pg_read_all_stats';
end
$$;
