package dev.seriatim.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestService;
import dev.seriatim.TestService.Answer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class ProblemIntegrationTests {

  private static TestService service;

  @BeforeAll
  static void start() {
    service = TestService.start("test.oddities=true");
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"nope": 1}                   | nope         | is not a known field; known here: colour
          {"inner": {"nope": 1}}        | inner.nope   | is not a known field; known here: flag, share
          {"text": 5}                   | text         | must be a string
          {"text": true}                | text         | must be a string
          {"text": ["a"]}               | text         | must be a string
          {"number": "5"}               | number       | must be a whole number
          {"number": 5.0}               | number       | must be a whole number
          {"number": true}              | number       | must be a whole number
          {"number": 3000000000}        | number       | must be a whole number
          {"counted": {"count": null}}  | counted.count | must be a whole number
          {"colour": "red"}             | colour       | must be one of RED, GREEN
          {"colour": 0}                 | colour       | must be one of RED, GREEN
          {"colour": ""}                | colour       | must be one of RED, GREEN
          {"pause": 15}                  | pause        | must be an ISO 8601 duration
          {"pause": "15s"}               | pause        | must be an ISO 8601 duration
          {"pause": ""}                  | pause        | must be an ISO 8601 duration
          {"pause": "PT99999999999999999999S"} | pause  | must be an ISO 8601 duration
          {"list": "a"}                 | list         | must be a JSON array
          {"list": ["a", 5]}            | list[1]      | must be a string
          {"inner": 5}                  | inner        | must be a JSON object
          {"inner": ""}                 | inner        | must be a JSON object
          {"inner": []}                 | inner        | must be a JSON object
          {"inner": {"flag": "true"}}   | inner.flag   | must be true or false
          {"inner": {"flag": 1}}        | inner.flag   | must be true or false
          {"inner": {"share": "0.5"}}   | inner.share  | must be a number
          {"map": {"a": 5}}             | map.a        | must be a string
          """)
  void wrongValueIsRefusedWithItsPath(String json, String field, String detail) {
    Answer answer = service.post("/test/body", json);

    assertThat(answer.status()).as(answer.body()).isEqualTo(400);
    assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
    assertThat(answer.text("/type")).isEqualTo("/problems/invalid-request");
    assertThat(answer.text("/title")).isEqualTo("The request is not valid");
    assertThat(answer.json().at("/status").asInt()).isEqualTo(400);
    assertThat(answer.text("/instance")).isEqualTo("/test/body");
    assertThat(answer.text("/field")).isEqualTo(field);
    assertThat(answer.text("/detail")).startsWith(field + " " + detail);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"text": "a",}              | The body is not valid JSON at line 1, column 14
          {"text": "a"                | The body is not valid JSON at line 1
          {"text": "a", "text": "b"}  | The body is not valid JSON at line 1, column 21: Duplicate
          {"text": "a"} {}            | The body must be one JSON value with nothing after it
          [1]                         | The body must be a JSON object
          "text"                      | The body
          ''                          | The body is missing
          """)
  void brokenBodyIsRefusedWithThePlace(String json, String detail) {
    Answer answer = service.post("/test/body", json);

    assertThat(answer.status()).as(answer.body()).isEqualTo(400);
    assertThat(answer.text("/detail")).startsWith(detail);
    assertThat(answer.json().has("field")).isFalse();
  }

  @Test
  void durationsAndTextComeBackAsTheyWereMeant() {
    String json =
        "{\"text\":\"\",\"number\":5,\"colour\":\"RED\",\"pause\":\"P3D\",\"list\":[],"
            + "\"inner\":{\"flag\":true,\"share\":1.0},\"counted\":{\"count\":1},\"map\":{}}";

    Answer answer = service.post("/test/body", json);

    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo(json);
  }

  @Test
  void unknownPathIsAProblem() {
    for (String path : new String[] {"/v1/nothing", "/index.html", "/error", "/favicon.ico"}) {
      Answer answer = service.get(path, "Accept", "text/html");
      assertThat(answer.status()).as(path).isEqualTo(404);
      assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
      assertThat(answer.text("/type")).isEqualTo("/problems/not-found");
      assertThat(answer.text("/instance")).isEqualTo(path);
    }
  }

  @Test
  void wrongMethodNamesThePossibleOnes() {
    Answer answer = service.send("PUT", "/test/body", "{}");

    assertThat(answer.status()).isEqualTo(405);
    assertThat(answer.header("Allow")).isEqualTo("POST");
    assertThat(answer.text("/detail")).isEqualTo("PUT is not possible here; possible: POST");
  }

  @Test
  void wrongMediaTypeNamesWhatIsRead() {
    Answer answer = service.post("/test/body", "a=b", "Content-Type", "text/csv");

    assertThat(answer.status()).isEqualTo(415);
    assertThat(answer.text("/type")).isEqualTo("/problems/unsupported-media-type");
    assertThat(answer.text("/detail")).contains("text/csv", "application/json");
  }

  @Test
  void answerThatIsNotAcceptableIsAProblem() {
    Answer answer = service.post("/test/body", "{}", "Accept", "image/png");

    assertThat(answer.status()).isEqualTo(406);
    assertThat(answer.text("/type")).isEqualTo("/problems/not-acceptable");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ?from=a&limit=x         | limit | must be a whole number from 1 to 500
          ?limit=1                | from  | is required
          ?from=a&lim%69ts=1      | limits | is not a query parameter here; known: from, limit
          ?from=a&from=b          | from  | must be given once
          """)
  void wrongQueryParameterIsRefusedByName(String query, String field, String detail) {
    Answer answer = service.get("/test/query" + query);

    assertThat(answer.status()).as(answer.body()).isEqualTo(400);
    assertThat(answer.text("/field")).isEqualTo(field);
    assertThat(answer.text("/detail")).startsWith(field + " " + detail);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "connection",
        "transaction",
        "resource",
        "timeout",
        "commit",
        "shutdown",
        "crowded"
      })
  void absentDatabaseIsAnsweredAsPassing(String how) {
    Answer answer = service.get("/test/fail/" + how);

    assertThat(answer.status()).isEqualTo(503);
    assertThat(answer.header("Retry-After")).isEqualTo("1");
    assertThat(answer.text("/type")).isEqualTo("/problems/unavailable");
  }

  @ParameterizedTest
  @ValueSource(strings = {"syntax", "bug"})
  void faultOfOursIsLoggedAndNotTold(String how, CapturedOutput log) {
    Answer answer = service.get("/test/fail/" + how);

    assertThat(answer.status()).isEqualTo(500);
    assertThat(answer.text("/type")).isEqualTo("/problems/internal");
    assertThat(answer.body()).doesNotContain("secret", "Exception");
    assertThat(log).contains("GET /test/fail/" + how + " failed", "at dev.seriatim.api.Oddities");
  }

  @ParameterizedTest
  @CsvSource({
    "a%2Fb,a/b",
    "a%2F%2Fb,a//b",
    "%2F,/",
    "a%25b,a%b",
    "a%252Fb,a%2Fb",
    "a%3Bb,a;b",
    "a%3Fb,a?b",
    "a%23b,a#b",
    "%C3%BC%20,'ü '",
    "a.b,a.b",
    "evt_1~x,evt_1~x"
  })
  void pathSegmentMayHoldAnyCharacter(String encoded, String decoded) {
    Answer answer = service.get("/test/segments/" + encoded + "/" + encoded);

    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    assertThat(answer.text("/one")).isEqualTo(decoded);
    assertThat(answer.text("/two")).isEqualTo(decoded);
  }

  @Test
  void nulInThePathIsRefused() {
    Answer answer = service.get("/test/segments/a%00/b");

    assertThat(answer.status()).isEqualTo(400);
  }

  @Test
  void pagesFollowEachOtherToTheEnd() {
    Answer first = service.get("/test/page?limit=3");
    assertThat(first.json().at("/items").toString()).isEqualTo("[\"a\",\"b\",\"z\"]");

    Answer second = service.get("/test/page?limit=3&cursor=" + first.text("/nextCursor"));

    assertThat(second.body()).isEqualTo("{\"items\":[\"ü\"]}");
    assertThat(service.get("/test/page?limit=4").json().has("nextCursor")).isFalse();
    assertThat(service.get("/test/page").json().at("/items").size()).isEqualTo(4);
  }

  @ParameterizedTest
  @CsvSource({
    "cursor=,cursor",
    "cursor=%21,cursor",
    "cursor=_w,cursor",
    "cursor=AA,cursor",
    "limit=0,limit",
    "limit=501,limit",
    "limit=-1,limit",
    "limit=99999999999,limit"
  })
  void wrongPageIsRefused(String query, String field) {
    Answer answer = service.get("/test/page?" + query);

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.text("/field")).isEqualTo(field);
  }

  @ParameterizedTest
  @EnumSource(ProblemType.class)
  void everyProblemHasAPage(ProblemType type) {
    Answer answer = service.get(type.uri(), "Accept", "text/html");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("Content-Type")).isEqualTo("text/html;charset=UTF-8");
    assertThat(answer.body()).contains("<h1>" + type.title(), "What it means", "What to do");
    assertThat(service.get("/problems").body()).contains(type.uri());
  }

  @Test
  void unknownProblemPageIsAProblem() {
    assertThat(service.get("/problems/none").status()).isEqualTo(404);
  }
}
