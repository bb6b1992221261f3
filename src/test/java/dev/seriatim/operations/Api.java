package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Calls the operators' API of a server on this machine. */
final class Api implements AutoCloseable {

  private final HttpClient client = HttpClient.newHttpClient();
  private final JsonMapper mapper = new JsonMapper();
  private final int port;

  Api(int port) {
    this.port = port;
  }

  /** The body of a GET that succeeds. */
  JsonNode get(String path) {
    return body(200, send("GET", path, null));
  }

  /** The body of a POST that succeeds. */
  JsonNode post(String path, @Nullable String json) {
    return body(200, send("POST", path, json));
  }

  /** The problem that a request is refused with. */
  JsonNode refused(int status, String method, String path, @Nullable String json) {
    return body(status, send(method, path, json));
  }

  private JsonNode body(int status, HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type"))
        .hasValue(status == 200 ? "application/json" : "application/problem+json");
    return mapper.readTree(answer.body());
  }

  private HttpResponse<String> send(String method, String path, @Nullable String json) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
            .method(
                method,
                json == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(json));
    if (json != null) {
      request.header("Content-Type", "application/json");
    }
    try {
      return client.send(request.build(), BodyHandlers.ofString(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new IllegalStateException(method + " " + path + " failed", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
