package dev.seriatim.playground;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestService;
import dev.seriatim.TestService.Answer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The page and its runs over HTTP, of a service that wants a token. */
class PlaygroundIntegrationTests {

  private static final String RUNS = "/playground/api/runs";

  private static TestService service;

  @BeforeAll
  static void start() {
    service = TestService.start("seriatim.security.token=correct-horse-battery");
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Test
  void runTellsWhatBecameOfTheSameEventsFourWays() {
    JsonNode run = service.get(RUNS).json();

    assertThat(run.at("/switches").toString())
        .isEqualTo(
            """
            {"seed":1,"consumers":4,"failing":"IN_PLACE","shuffled":true,"hot":false}""");
    assertThat(run.at("/orders").size()).isEqualTo(5);
    assertThat(run.at("/events").size()).isEqualTo(25);
    assertThat(run.at("/ways").valueStream().map(way -> way.at("/way").asString()))
        .containsExactly("SHARED_QUEUE", "HASH_PARTITIONS", "KEY_LANES", "VERSIONED_WRITES");
    assertThat(run.at("/ways/2/wrong").asInt()).isZero();
    assertThat(run.at("/ways/2/attempts/0/event/status").asString()).isEqualTo("CREATED");
  }

  @Test
  void sameQuerySameAnswer() {
    String query = "?seed=999999999&consumers=8&failing=TO_BACK&shuffled=false&hot=true";

    Answer first = service.get(RUNS + query);

    assertThat(first.status()).isEqualTo(200);
    assertThat(service.get(RUNS + query).body()).isEqualTo(first.body());
    assertThat(first.body().length()).isLessThan(64_000);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          seed=-1         | seed      | seed must be a whole number from 0 to 999999999
          seed=1000000000 | seed      | seed must be a whole number from 0 to 999999999
          seed=a          | seed      | seed must be a whole number of at most 32 bits
          consumers=0     | consumers | consumers must be a whole number from 1 to 8
          consumers=9     | consumers | consumers must be a whole number from 1 to 8
          failing=often   | failing   | failing must be one of NONE, IN_PLACE, TO_BACK
          hot=maybe       | hot       | hot must be true or false
          sed=1           | sed       | sed is not a query parameter here; known: consumers, failing, hot, seed, shuffled
          seed=1&seed=2   | seed      | seed must be given once
          """)
  void badSwitchIsRefusedByName(String query, String field, String detail) {
    Answer answer = service.get(RUNS + "?" + query);

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.text("/field")).isEqualTo(field);
    assertThat(answer.text("/detail")).isEqualTo(detail);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/playground", "/playground/playground.js", "/assets/base.css", RUNS})
  void pageNeedsNoTokenAndLetsNothingInFromElsewhere(String path) {
    Answer answer = service.get(path);

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("Content-Security-Policy"))
        .startsWith("default-src 'none'; script-src 'self'; style-src 'self';")
        .contains("frame-ancestors 'none'")
        .doesNotContain("unsafe");
    assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
  }

  @Test
  void pageIsAskedForAgainEachTimeButNotSentTwice() {
    Answer first = service.get("/playground/playground.js");

    assertThat(first.header("Cache-Control")).isEqualTo("no-cache");
    assertThat(
            service
                .get(
                    "/playground/playground.js", "If-Modified-Since", first.header("Last-Modified"))
                .status())
        .isEqualTo(304);
  }

  @Test
  void slashAtTheEndLeadsToThePageWithItsSwitches() {
    Answer answer = service.get("/playground/?seed=3");

    assertThat(answer.status()).isEqualTo(302);
    assertThat(answer.header("Location")).endsWith("/playground?seed=3");
  }

  @Test
  void restStaysClosed() {
    assertThat(service.get("/v1/subscriptions").status()).isEqualTo(401);
    assertThat(service.post(RUNS, "{}").status()).isEqualTo(401);
    assertThat(service.get("/playground/nothing").status()).isEqualTo(404);
    assertThat(service.get("/playground/..%2Fv1/subscriptions").status()).isIn(400, 401, 404);
    assertThat(service.get("/assets/%2e%2e/v1/subscriptions").status()).isIn(400, 401, 404);
    assertThat(service.get("/assets/..%2F..%2Fapplication.yml").status()).isIn(400, 404);
    assertThat(service.get("/v1/subscriptions").header("Content-Security-Policy")).isEmpty();
  }
}
