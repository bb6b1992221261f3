package dev.seriatim.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Migrations are made under pods of the previous release, which must neither break nor wait. */
class MigrationRulesTests {

  private static final Path MIGRATIONS = Path.of("src", "main", "resources", "db", "migration");

  /** Made before there was a release; some of them would not do any more. */
  private static final int BEFORE_RULES = 10;

  static Stream<Path> migrations() throws IOException {
    try (Stream<Path> files =
        Stream.concat(
            Files.list(MIGRATIONS), Files.list(Path.of("src", "test", "resources", "later")))) {
      return files.filter(file -> version(file) > BEFORE_RULES).toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("migrations")
  void migrationLetsThePreviousReleaseGoOn(Path file) throws IOException {
    assertThat(MigrationRules.breaches(Files.readString(file))).isEmpty();
  }

  private static int version(Path file) {
    return Integer.parseInt(file.getFileName().toString().replaceFirst("V(\\d+)__.*", "$1"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "drop table audit",
        "drop function make_attempt_day(date)",
        "alter table lane drop column reason",
        "alter table lane add column later text, drop column reason",
        "alter table lane rename column reason to why",
        "alter table lane rename to line",
        "alter table lane alter column reason set not null",
        "alter table lane alter column state drop default",
        "alter table lane alter column id type numeric",
        "alter table lane add column later text not null",
        "alter table lane add column later timestamptz default clock_timestamp()",
        "alter table lane add column later bigint generated always as identity",
        "alter table lane add column later text unique",
        "alter table lane add column later text check (later <> '')",
        "alter table lane add constraint lane_later check (last_sequence > 0) not valid",
        "alter table lane add unique (key)",
        "alter table lane set unlogged",
        "create index lane_later on lane (reason)",
        "create unique index lane_later on only lane (reason)",
        "create index concurrently lane_later on lane (reason)",
        "drop index concurrently if exists another; create index concurrently lane_later on lane (reason)",
        "drop index lane_held",
        "alter table lane add column later text; alter table event add column later text",
        "update lane set reason = 'later'",
        "delete from audit",
        "truncate table audit",
        "lock table lane",
        "vacuum full lane",
        "set lock_timeout = '1h'",
        "create or replace function make_attempt_day(date) returns void language sql as $$ select $$",
        "create trigger later before insert on lane execute function later()",
        "alter table lane add constraint c foreign key (key) references event (id) not valid; alter table lane validate constraint c"
      })
  void whatWouldBreakOrDelayPodsIsFound(String file) {
    assertThat(MigrationRules.breaches("-- why\n" + file + ";")).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "alter table lane add column later text, add column more integer not null default 0",
        "alter table lane drop constraint lane_state_check, add constraint lane_state_check check (state <> 'x') not valid\n-- contract: 0.1 knows no other state",
        "alter table lane validate constraint lane_state_check",
        "create table later (id bigint); alter table later add column name text; alter table lane add column later bigint",
        "create table later (id bigint primary key, name text not null unique); create index later_name on later (name); update later set name = 'x'; alter table later drop column name",
        "drop index concurrently if exists lane_later; create index concurrently lane_later on lane (reason)",
        "insert into retention (kind) values ('LATER; drop table lane')",
        "create function later() returns void language plpgsql as $$ begin delete from lane; end $$",
        "alter table event set (autovacuum_vacuum_scale_factor = 0.02)",
        "set local lock_timeout = '1s'; grant select on lane to public"
      })
  void whatDisturbsNobodyIsLeftAlone(String file) {
    assertThat(MigrationRules.breaches("-- why\n" + file + ";")).isEmpty();
  }

  @Test
  void contractsNameTheReleaseThatStoppedUsingIt() {
    String drop = "alter table lane drop column reason, alter column state set not null;";

    assertThat(MigrationRules.breaches(drop)).hasSize(2);
    assertThat(MigrationRules.breaches("-- contract: nobody needs it\n" + drop)).hasSize(2);
    assertThat(MigrationRules.breaches("-- contract: unused since 1.4\n" + drop)).isEmpty();
  }

  @Test
  void writesOfFewRowsSayWhyTheyAreFew() {
    String write = "update partition set paused_reason = 'later' where paused_at is not null;";

    assertThat(MigrationRules.breaches(write)).hasSize(1);
    assertThat(MigrationRules.breaches("-- bounded: 4096 partitions at most\n" + write))
        .isEqualTo(List.of());
  }
}
