package dev.seriatim.development;

import dev.seriatim.development.DemoOrders.OrderEvent;
import dev.seriatim.subscription.WebhookSecret;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Calls the service as anybody would: over HTTP, with the API token if there is one. Thread-safe;
 * blocks for one request.
 */
final class DemoClient implements AutoCloseable {

  static final String SUBSCRIPTION = "demo-orders";

  private static final String TENANT = "demo";
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final JsonMapper JSON = JsonMapper.shared();

  private final String service;
  private final @Nullable String token;
  private final HttpClient http = HttpClient.newHttpClient();

  /**
   * @param service for example {@code http://127.0.0.1:8080}
   */
  DemoClient(String service, @Nullable String token) {
    this.service = service;
    this.token = token;
  }

  /**
   * Makes the subscription, or has the one of an earlier run send to this run's receiver.
   *
   * @throws IOException when the service refuses that or does not answer
   */
  void subscribe(String url, WebhookSecret secret) throws IOException, InterruptedException {
    Map<String, Object> subscription =
        Map.of(
            "id",
            SUBSCRIPTION,
            "tenant",
            TENANT,
            "url",
            url,
            "eventTypes",
            List.of("order.*"),
            "ordering",
            "RESOURCE",
            "retry",
            Map.of("initialDelay", "PT0.3S", "maxDelay", "PT10S", "maxAttempts", 100),
            "secret",
            secret.reveal());
    HttpResponse<String> created = send("POST", "/v1/subscriptions", subscription);
    if (created.statusCode() == 409) {
      String path = "/v1/subscriptions/" + SUBSCRIPTION;
      require(send("PATCH", path, Map.of("url", url)));
      require(send("POST", path + "/enable", null));
    } else {
      require(created);
    }
  }

  /** Holds in order what is queued, until the next run. */
  void hold() throws IOException, InterruptedException {
    String path = "/v1/subscriptions/" + SUBSCRIPTION + "/disable";
    require(send("POST", path, Map.of("reason", "the demo has stopped")));
  }

  /**
   * Publishes an event. Whatever the outcome, publishing it again never stores it twice.
   *
   * @throws IOException when the service refuses it or does not answer
   */
  void publish(OrderEvent event) throws IOException, InterruptedException {
    require(
        send(
            "POST",
            "/v1/events",
            Map.of(
                "id", event.id(),
                "tenant", TENANT,
                "type", event.type(),
                "resource", event.order(),
                "payload",
                    Map.of("order", event.order(), "status", DemoOrders.STEPS.get(event.step())))));
  }

  @Override
  public void close() {
    http.shutdownNow();
  }

  private HttpResponse<String> send(String method, String path, @Nullable Object body)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(service + path))
            .timeout(TIMEOUT)
            .header("Content-Type", "application/json")
            .method(
                method,
                body == null
                    ? BodyPublishers.noBody()
                    : BodyPublishers.ofString(JSON.writeValueAsString(body)));
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    return http.send(request.build(), BodyHandlers.ofString());
  }

  private static void require(HttpResponse<String> answer) throws IOException {
    if (answer.statusCode() / 100 != 2) {
      throw new IOException(
          "%s %s answered %d: %s"
              .formatted(
                  answer.request().method(),
                  answer.request().uri().getPath(),
                  answer.statusCode(),
                  answer.body()));
    }
  }
}
