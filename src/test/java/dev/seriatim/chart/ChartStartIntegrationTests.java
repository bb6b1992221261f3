package dev.seriatim.chart;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestService;
import io.fabric8.kubernetes.api.model.ConfigMap;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The service with the file that the chart makes. */
class ChartStartIntegrationTests {

  @Test
  void serviceTakesTheFileAndItsMetersNeedTheTokenOfAnOperator(@TempDir Path folder)
      throws IOException, InterruptedException {
    ConfigMap map = Chart.with("operators").named(ConfigMap.class, "seriatim");
    map.getData().forEach((name, text) -> write(folder.resolve(name), text));

    try (TestService service =
            TestService.start(
                "spring.config.additional-location=file:" + folder + "/",
                "management.server.port=0",
                "seriatim.security.token=token-of-the-api-0",
                "OPERATOR_TOKEN_0=token-of-jane-0123",
                "OPERATOR_TOKEN_1=token-of-prometheus-1");
        HttpClient client = HttpClient.newHttpClient()) {
      int management = service.port("local.management.port");

      assertThat(status(client, management, "health/readiness", "")).isEqualTo(200);
      assertThat(status(client, management, "health/liveness", "")).isEqualTo(200);
      assertThat(status(client, management, "health/partitions", "")).isIn(200, 503);
      assertThat(status(client, management, "prometheus", "")).isEqualTo(401);
      assertThat(status(client, management, "prometheus", "token-of-prometheus-1")).isEqualTo(200);
      assertThat(service.get("/problems").status()).isEqualTo(200);
      assertThat(service.get("/v1/lanes").status()).isEqualTo(401);
      assertThat(service.get("/v1/lanes", "Authorization", "Bearer token-of-jane-0123").status())
          .isEqualTo(200);
    }
  }

  private static int status(HttpClient client, int port, String endpoint, String token)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
            URI.create("http://localhost:%d/actuator/%s".formatted(port, endpoint)));
    if (!token.isEmpty()) {
      request.header("Authorization", "Bearer " + token);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.discarding()).statusCode();
  }

  private static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
