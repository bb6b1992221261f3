package dev.seriatim.scenario;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Lets certain writes to the queue fail, subscription by subscription, and tells when one was
 * tried: the moment before it, held still for as long as a test wants. What fails is tried again by
 * whoever wanted it. Of the whole database, so it should be the test's own.
 */
final class BrokenWrites {

  /** Which of a subscription's writes fail. */
  enum Kind {
    /** That of a verdict after which the head is not simply tried again. */
    LAST_VERDICT,
    /** Those that move rows aside. */
    ASIDE,
    /** Those that bring rows back. */
    BACK
  }

  private static final String TABLE =
      "create table broken (pk bigint primary key, kind text not null)";

  // A sequence does not go back with the transaction that fails.
  private static final String FUNCTION =
      """
      create function break() returns trigger language plpgsql security definer as $$
      declare
        target bigint := case tg_op when 'DELETE' then old.subscription_pk else new.subscription_pk end;
        wanted text := (select kind from broken where pk = target);
        hit boolean := case wanted
          when 'LAST_VERDICT' then tg_op = 'DELETE'
            or (new.attempts > old.attempts and new.own_wait_ms is null)
          when 'ASIDE' then tg_op = 'UPDATE' and old.partition >= 0 and new.partition < 0
          when 'BACK' then tg_op = 'UPDATE' and old.partition < 0 and new.partition >= 0
          else false end;
      begin
        if hit then
          perform nextval('broken_' || target);
          raise exception 'as the test wants it';
        end if;
        if tg_op = 'DELETE' then return old; end if;
        return new;
      end $$
      """;

  private static final String TRIGGER =
      "create trigger break before update or delete on delivery for each row execute function break()";

  private final JdbcClient jdbc;

  BrokenWrites(JdbcClient jdbc) {
    this.jdbc = jdbc;
    for (String statement : new String[] {TABLE, FUNCTION, TRIGGER}) {
      jdbc.sql(statement).update();
    }
  }

  /** From now on they fail. */
  void breakOf(String subscription, Kind kind) {
    long pk = pk(subscription);
    jdbc.sql("create sequence broken_" + pk).update();
    jdbc.sql("insert into broken values (:pk, :kind)")
        .param("pk", pk)
        .param("kind", kind.name())
        .update();
  }

  /** Waits until one was tried. */
  void awaitTried(String subscription) {
    long pk = pk(subscription);
    Patience.until(
        "a write of " + subscription + " that fails",
        () -> jdbc.sql("select is_called from broken_" + pk).query(Boolean.class).single());
  }

  /** From now on they succeed. */
  void mend(String subscription) {
    jdbc.sql("delete from broken where pk = :pk").param("pk", pk(subscription)).update();
  }

  private long pk(String subscription) {
    return jdbc.sql("select pk from subscription where id = :id and state <> 'DELETED'")
        .param("id", subscription)
        .query(Long.class)
        .single();
  }
}
