package dev.seriatim.operations;

import dev.seriatim.TestService;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Has the overview of a service sent to it, as a window of the console does. */
final class Listener implements AutoCloseable {

  private static final String DATA = "data: ";

  private final HttpClient client = HttpClient.newHttpClient();
  private final JsonMapper mapper = new JsonMapper();
  private final HttpResponse<InputStream> answer;
  private final BufferedReader lines;

  Listener(TestService service, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
            URI.create("http://localhost:" + service.port() + "/console/api/overview/live"));
    if (headers.length > 0) {
      request.headers(headers);
    }
    try {
      this.answer = client.send(request.build(), BodyHandlers.ofInputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
    this.lines = new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8));
  }

  HttpResponse<InputStream> answer() {
    return answer;
  }

  /** Blocks until there is an event of that name. */
  void await(String event) {
    String line = line();
    while (line != null && !line.equals("event: " + event)) {
      line = line();
    }
    if (line == null) {
      throw new AssertionError("The stream has ended without " + event);
    }
  }

  /** Blocks until there is another overview. */
  JsonNode next() {
    String line = line();
    while (line != null) {
      if (line.startsWith(DATA)) {
        return mapper.readTree(line.substring(DATA.length()));
      }
      line = line();
    }
    throw new AssertionError("The stream has ended");
  }

  /** Blocks until the service ends it. */
  void awaitEnd() {
    while (line() != null) {
      // What comes before the end does not matter.
    }
  }

  private String line() {
    try {
      return lines.readLine();
    } catch (IOException e) {
      throw new UncheckedIOException("The stream broke off", e);
    }
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
