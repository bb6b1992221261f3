package dev.seriatim;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The whole service on a free port, called over real HTTP. */
public final class TestService implements AutoCloseable {

  private final TestDatabase database;
  private final boolean ownsDatabase;
  private final ConfigurableApplicationContext context;
  private final HttpClient http = HttpClient.newHttpClient();

  private TestService(
      TestDatabase database, boolean ownsDatabase, String url, String... properties) {
    this.database = database;
    this.ownsDatabase = ownsDatabase;
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--server.port=0",
                "--spring.datasource.url=" + url,
                "--spring.datasource.username=" + database.serviceUser(),
                "--spring.datasource.password=" + database.password(),
                "--spring.main.banner-mode=off"));
    for (String property : properties) {
      arguments.add("--" + property);
    }
    try {
      this.context =
          new SpringApplicationBuilder(SeriatimApplication.class)
              .run(arguments.toArray(String[]::new));
    } catch (RuntimeException failedStart) {
      closeDatabase();
      throw failedStart;
    }
  }

  /**
   * On a database of its own.
   *
   * @param properties {@code name=value}
   */
  public static TestService start(String... properties) {
    TestDatabase database = TestDatabase.create();
    return new TestService(database, true, database.url(), properties);
  }

  /**
   * On a database that others may use as well, and that outlives it.
   *
   * @param url how to reach the database, for a way with a detour; otherwise that of the database
   * @param properties {@code name=value}
   */
  public static TestService startOn(TestDatabase database, String url, String... properties) {
    return new TestService(database, false, url, properties);
  }

  public TestDatabase database() {
    return database;
  }

  public <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  public int port() {
    return port("local.server.port");
  }

  /** For example {@code local.management.port}. */
  public int port(String property) {
    return context.getEnvironment().getRequiredProperty(property, Integer.class);
  }

  public Answer get(String path, String... headers) {
    return send("GET", path, null, headers);
  }

  public Answer post(String path, @Nullable String json, String... headers) {
    return send("POST", path, json, headers);
  }

  /**
   * @param json the body, sent as {@code application/json} unless the headers name another type;
   *     null for none
   * @param headers name, value, name, value, …
   */
  public Answer send(String method, String path, @Nullable String json, String... headers) {
    return sendBytes(
        method, path, json == null ? null : json.getBytes(StandardCharsets.UTF_8), headers);
  }

  /** The same with the bytes of the body as they are. */
  public Answer sendBytes(String method, String path, byte @Nullable [] body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://localhost:" + port() + path))
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofByteArray(body));
    if (body != null) {
      request.setHeader("Content-Type", "application/json");
    }
    for (int i = 0; i < headers.length; i += 2) {
      request.setHeader(headers[i], headers[i + 1]);
    }
    try {
      return new Answer(
          http.send(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8)));
    } catch (IOException e) {
      throw new IllegalStateException(method + " " + path + " failed", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /**
   * Sends bytes as they are, for requests that no client library would send, and reads to the end
   * of the stream; so ask for {@code Connection: close}.
   */
  public String sendRaw(String request) {
    return sendRaw(port(), request);
  }

  public static String sendRaw(int port, String request) {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      socket.setSoTimeout(30_000);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException("Failed: " + request, e);
    }
  }

  @Override
  public void close() {
    // First, so that requests may still come in while it stops.
    context.close();
    http.close();
    closeDatabase();
  }

  private void closeDatabase() {
    if (ownsDatabase) {
      database.close();
    }
  }

  /** What came back. */
  public record Answer(HttpResponse<String> response) {

    private static final JsonMapper MAPPER = JsonMapper.shared();

    public int status() {
      return response.statusCode();
    }

    public String body() {
      return response.body();
    }

    public JsonNode json() {
      return MAPPER.readTree(response.body());
    }

    /** A member of the JSON body as text, empty when it is not there. */
    public String text(String pointer) {
      return json().at(pointer).asString("");
    }

    public String header(String name) {
      return response.headers().firstValue(name).orElse("");
    }
  }
}
