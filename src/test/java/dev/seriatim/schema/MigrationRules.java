package dev.seriatim.schema;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a migration must not do, so that pods of the previous release go on beside it and nobody
 * waits for it (ADR 16). Reads SQL by patterns: it finds what is written as migrations are, and is
 * no proof against somebody who wants to get around it.
 */
final class MigrationRules {

  /** Names the release that stopped using what goes: {@code -- contract: unused since 1.4}. */
  private static final Pattern CONTRACT = Pattern.compile("(?m)^-- contract: .*\\d+\\.\\d+.*$");

  /** Says why few rows are touched: {@code -- bounded: one row for each partition}. */
  private static final Pattern BOUNDED = Pattern.compile("(?m)^-- bounded: .+$");

  private static final Pattern NOT_CODE =
      Pattern.compile("--[^\\n]*|/\\*.*?\\*/|\\$(\\w*)\\$.*?\\$\\1\\$|'[^']*'", Pattern.DOTALL);

  private static final Pattern NEXT_CLAUSE =
      Pattern.compile(", (?=(?:add|alter|drop|rename|set|validate|attach|detach) )");

  private static final String TABLE = "(?:only )?(?:if (?:not )?exists )?\"?([\\w.]+)\"?";
  private static final Pattern MADE = Pattern.compile("create (?:unlogged )?table " + TABLE);
  private static final Pattern ALTERED = Pattern.compile("alter table " + TABLE + "(.*)");
  private static final Pattern INDEXED =
      Pattern.compile(
          "create (?:unique )?index (?:concurrently )?(?:if not exists )?\\w+ on " + TABLE);
  private static final Pattern WRITTEN =
      Pattern.compile("(?:update|delete from|truncate(?: table)?) " + TABLE);

  /** A rule for each clause of ALTER TABLE on a table that was there before. */
  private enum Clause {
    TAKES_AWAY(
        "takes away what the previous release may use",
        true,
        "drop (?!constraint \\w+_check$)|rename |alter \\w+ \\w+ drop |alter column \\w+ drop |set schema "),
    NARROWS(
        "refuses what the previous release may write",
        true,
        "alter column \\w+ set not null|add (constraint \\w+ )?(check|unique|foreign|primary|exclude)|add column (?!.* default ).* not null"),
    READS_ALL(
        "reads the whole table under its lock: add the constraint apart and as NOT VALID",
        false,
        "add (?!.* not valid$).*(\\bcheck\\b|\\bforeign key\\b)"),
    REWRITES(
        "rewrites or indexes the whole table under its lock",
        false,
        "alter column \\w+ (set data )?type |add column .*(default [^,]*\\(|\\bgenerated\\b|serial\\b|\\bunique\\b|\\bprimary\\b)"
            + "|add (constraint \\w+ )?(unique|primary|exclude)(?!.* using index )|set (un)?logged|set tablespace ");

    private final String breach;
    private final boolean allowedToContract;
    private final Pattern pattern;

    Clause(String breach, boolean allowedToContract, String pattern) {
      this.breach = breach;
      this.allowedToContract = allowedToContract;
      this.pattern = Pattern.compile(pattern);
    }
  }

  private final List<String> breaches = new ArrayList<>();
  private final List<String> statements;
  private final List<String> made;
  private final boolean contract;
  private final boolean bounded;

  private MigrationRules(String file) {
    statements =
        Arrays.stream(NOT_CODE.matcher(file).replaceAll(MigrationRules::blank).split(";"))
            .map(one -> one.toLowerCase(Locale.ROOT).replaceAll("\\s+", " ").strip())
            .filter(one -> !one.isEmpty())
            .toList();
    made = statements.stream().flatMap(one -> table(MADE, one)).toList();
    contract = CONTRACT.matcher(file).find();
    bounded = BOUNDED.matcher(file).find();
  }

  private static String blank(MatchResult found) {
    return found.group().startsWith("'") ? "''" : " ";
  }

  /** What is against the rules in a migration file, a sentence each. */
  static List<String> breaches(String file) {
    MigrationRules rules = new MigrationRules(file);
    rules.statements.forEach(rules::look);
    rules.lookAtLocks();
    rules.lookAtOthers();
    return rules.breaches;
  }

  private void look(String one) {
    Matcher altered = ALTERED.matcher(one);
    if (altered.matches() && !made.contains(altered.group(1))) {
      for (String clause : NEXT_CLAUSE.split(altered.group(2).strip())) {
        look(one, clause);
      }
    }
    refuse(
        !contract
            && one.matches(
                "(drop (?!index concurrently if exists )|alter (?!table )|create or replace ).*"),
        "takes away or replaces what the previous release may use",
        one);
    refuse(
        isOld(INDEXED, one) && !one.contains(" concurrently "),
        "keeps writers waiting: create the index concurrently",
        one);
    refuse(
        isOld(WRITTEN, one) && !bounded, "writes rows: say why they are few by -- bounded:", one);
    refuse(
        one.matches("(vacuum|cluster|reindex|lock|create (constraint )?trigger)\\b.*"),
        "holds a lock for long, or changes what pods of the previous release do",
        one);
    refuse(
        one.matches("(set (?!local )|reset |alter (system|role|database) ).*"),
        "changes a session that may be somebody else's afterwards, or the server",
        one);
  }

  private void look(String statement, String clause) {
    for (Clause rule : Clause.values()) {
      refuse(
          rule.pattern.matcher(clause).lookingAt() && !(contract && rule.allowedToContract),
          rule.breach,
          statement);
    }
  }

  private void lookAtLocks() {
    List<String> locked =
        statements.stream()
            .flatMap(one -> table(ALTERED, one))
            .filter(table -> !made.contains(table))
            .distinct()
            .toList();
    refuse(
        locked.size() > 1,
        "has a lock while it waits for another, which ends in a deadlock with pods: one migration each",
        String.join(", ", locked));
  }

  /** Concurrently is not part of a transaction, and tried again where it broke off. */
  private void lookAtOthers() {
    if (statements.stream().anyMatch(one -> one.contains(" concurrently "))) {
      refuse(
          statements.size() != 2
              || !statements.getLast().startsWith("create ")
              || !statements.getLast().contains(indexDroppedFirst()),
          "an index made concurrently is all of its migration, and dropped first should it be a broken one",
          statements.getLast());
    }
    if (statements.stream().anyMatch(one -> one.contains(" validate constraint "))) {
      refuse(
          !statements.stream().allMatch(one -> one.contains(" validate constraint ")),
          "validates in a transaction that has other locks: do it in the next migration",
          statements.getFirst());
    }
  }

  private String indexDroppedFirst() {
    return statements
        .getFirst()
        .replaceFirst("^drop index concurrently if exists (\\w+)$", "index concurrently $1 on ");
  }

  private void refuse(boolean breach, String rule, String statement) {
    if (breach) {
      breaches.add(rule + ": " + statement);
    }
  }

  private boolean isOld(Pattern pattern, String statement) {
    return table(pattern, statement).anyMatch(table -> !made.contains(table));
  }

  private static Stream<String> table(Pattern pattern, String statement) {
    Matcher matcher = pattern.matcher(statement);
    return matcher.lookingAt() ? Stream.of(matcher.group(1)) : Stream.empty();
  }
}
