package dev.seriatim.api;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Endpoints that show what every endpoint does. */
@RestController
@ConditionalOnProperty("test.oddities")
class Oddities {

  enum Colour {
    RED,
    GREEN
  }

  record Inner(@Nullable Boolean flag, @Nullable Double share) {}

  record Counted(int count) {}

  record Body(
      @Nullable String text,
      @Nullable Integer number,
      @Nullable Colour colour,
      @Nullable Duration pause,
      @Nullable List<String> list,
      @Nullable Inner inner,
      @Nullable Counted counted,
      @Nullable Map<String, String> map) {}

  @PostMapping("/test/body")
  Body body(@RequestBody Body body) {
    return body;
  }

  @GetMapping("/test/segments/{one}/{two}")
  Map<String, String> segments(@PathVariable String one, @PathVariable String two) {
    return Map.of("one", one, "two", two);
  }

  @GetMapping("/test/query")
  String query(@RequestParam @Nullable Integer limit, @RequestParam("from") String start) {
    return limit + start;
  }

  @GetMapping("/test/page")
  Page<String> page(@RequestParam @Nullable String cursor, @RequestParam @Nullable Integer limit) {
    PageRequest request = PageRequest.of(cursor, limit);
    List<String> rows =
        List.of("a", "b", "ü", "z").stream()
            .filter(row -> request.after() == null || row.compareTo(request.after()) > 0)
            .sorted()
            .limit(request.rowsToRead())
            .toList();
    return Page.of(rows, request, row -> row);
  }

  @GetMapping("/test/fail/{how}")
  String fail(@PathVariable String how) {
    throw switch (how) {
      case "connection" -> new CannotGetJdbcConnectionException("no", new SQLException("no"));
      case "transaction" -> new CannotCreateTransactionException("no");
      case "resource" -> new DataAccessResourceFailureException("no");
      case "timeout" -> new QueryTimeoutException("no");
      case "commit" -> new TransactionSystemException("no", new SQLException("gone", "08006"));
      case "shutdown" ->
          new UncategorizedSQLException("t", "select", new SQLException("bye", "57P01"));
      case "crowded" ->
          new UncategorizedSQLException("t", "select", new SQLException("many", "53300"));
      case "syntax" ->
          new UncategorizedSQLException("t", "select secret", new SQLException("bad", "42601"));
      default -> new IllegalStateException("secret inner state");
    };
  }
}
