package dev.seriatim.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.seriatim.TestService;
import dev.seriatim.TestService.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketException;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class SecurityIntegrationTests {

  private static final String TOKEN = "correct-horse-battery";
  private static final String BEARER = "Bearer " + TOKEN;

  @Test
  void withoutTokenOnlyThisMachineCanCall(CapturedOutput log) throws IOException {
    try (TestService service = TestService.start("management.server.port=0")) {
      int management = service.port("local.management.port");

      assertThat(management).isNotEqualTo(service.port());
      assertThat(service.get("/v1/subscriptions").status()).isEqualTo(200);
      assertThat(TestService.sendRaw(management, get("/actuator/health", "localhost")))
          .startsWith("HTTP/1.1 200")
          .contains("\"db\":{");
      assertThat(TestService.sendRaw(management, get("/actuator/health", "evil.example")))
          .startsWith("HTTP/1.1 403");
      for (int port : new int[] {service.port(), management}) {
        Optional<InetAddress> other = addressOfThisMachine();
        if (other.isPresent()) {
          assertThatThrownBy(() -> new Socket(other.get(), port).close())
              .isInstanceOf(IOException.class);
        }
      }
    }
    assertThat(log)
        .contains(
            "No API token is configured (seriatim.security.token): server.address is 127.0.0.1")
        .contains("management.server.address is 127.0.0.1")
        .doesNotContain("generated security password");
  }

  @Test
  void withoutTokenTheLogNamesTheOneAddressOnce(CapturedOutput log) {
    TestService.start().close();

    assertThat(log.getOut().split("No API token is configured", -1)).hasSize(2);
    assertThat(log).doesNotContain("management.server.address");
  }

  @Test
  void withoutTokenWebSitesCannotUseTheBrowserOfThisMachine() {
    try (TestService service = TestService.start()) {
      assertThat(service.sendRaw(get("/v1/subscriptions", "evil.example:8080")))
          .startsWith("HTTP/1.1 403")
          .contains("application/problem+json", "/problems/forbidden", "seriatim.security.token");
      for (String host :
          new String[] {"localhost.evil.example", "127.0.0.1.evil.example", "[::2]", "0.0.0.0"}) {
        assertThat(service.sendRaw(get("/v1/subscriptions", host)))
            .as(host)
            .startsWith("HTTP/1.1 403");
      }
      for (String host : new String[] {"LOCALHOST:1", "127.0.0.1", "127.1.2.3:80", "[::1]:8080"}) {
        assertThat(service.sendRaw(get("/v1/subscriptions", host)))
            .as(host)
            .startsWith("HTTP/1.1 200");
      }
      assertThat(service.get("/v1/subscriptions", "Sec-Fetch-Site", "cross-site").status())
          .isEqualTo(403);
      assertThat(service.get("/v1/subscriptions", "Origin", "https://evil.example").status())
          .isEqualTo(403);
      assertThat(service.get("/v1/subscriptions", "Origin", "null").status()).isEqualTo(403);
      assertThat(service.get("/v1/subscriptions", "Origin", "http://localhost:3000").status())
          .isEqualTo(200);
      assertThat(service.get("/v1/subscriptions", "Sec-Fetch-Site", "same-origin").status())
          .isEqualTo(200);
      assertThat(service.get("/actuator/health").json().at("/components/db/status").asString())
          .as("whoever may do everything else may see the details")
          .isEqualTo("UP");
    }
  }

  @Test
  void withoutTokenAPageOpensFromALinkOnAnotherSiteAndNothingElseDoes() {
    try (TestService service = TestService.start()) {
      for (String page : new String[] {"/", "/playground", "/playground?seed=3"}) {
        assertThat(linked(service, page, "navigate", "document")).as(page).isEqualTo(200);
      }
      for (String path :
          new String[] {
            "/v1/subscriptions",
            "/console/api/overview",
            "/playground/api/runs",
            "/actuator/health",
            "/v3/api-docs",
            "/playground/..;/v1/subscriptions",
            "//"
          }) {
        assertThat(linked(service, path, "navigate", "document")).as(path).isIn(400, 403);
      }
      assertThat(linked(service, "/", "navigate", "iframe")).isEqualTo(403);
      assertThat(linked(service, "/", "no-cors", "image")).isEqualTo(403);
      assertThat(linked(service, "/", "cors", "empty")).isEqualTo(403);
      assertThat(
              service
                  .send(
                      "POST",
                      "/",
                      "{}",
                      "Sec-Fetch-Site",
                      "cross-site",
                      "Sec-Fetch-Mode",
                      "navigate",
                      "Sec-Fetch-Dest",
                      "document")
                  .status())
          .isEqualTo(403);
      assertThat(
              service.sendRaw(
                  get("/", "evil.example")
                      .replace(
                          "\r\n\r\n",
                          "\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n\r\n")))
          .startsWith("HTTP/1.1 403");
    }
  }

  /** The status that a browser gets which another site makes ask. */
  private static int linked(TestService service, String path, String mode, String destination) {
    return service
        .get(
            path,
            "Sec-Fetch-Site",
            "cross-site",
            "Sec-Fetch-Mode",
            mode,
            "Sec-Fetch-Dest",
            destination)
        .status();
  }

  @Test
  void withTokenEverythingElseIsRefused(CapturedOutput log) {
    try (TestService service =
        TestService.start("seriatim.security.token=" + TOKEN, "server.address=0.0.0.0")) {
      for (String path :
          new String[] {
            "/v1/subscriptions",
            "/v3/api-docs",
            "/actuator/metrics",
            "/actuator",
            "/nothing",
            "/error"
          }) {
        Answer answer = service.get(path);
        assertThat(answer.status()).as(path).isEqualTo(401);
        assertThat(answer.header("WWW-Authenticate")).isEqualTo("Bearer");
        assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(answer.text("/type")).isEqualTo("/problems/unauthorized");
      }
      for (String wrong :
          new String[] {
            "Bearer wrong", BEARER + "x", "Bearer ", TOKEN, "Basic " + TOKEN, "Bearer" + TOKEN
          }) {
        assertThat(service.get("/v1/subscriptions", "Authorization", wrong).status())
            .as(wrong)
            .isEqualTo(401);
      }
      assertThat(service.post("/problems/internal", "{}").status()).isEqualTo(401);
      assertThat(service.get("/problems/..%2F..%2Fv1/subscriptions").status()).isIn(400, 401, 404);
      assertThat(service.get("/problems/%2e%2e/v1/subscriptions").status()).isIn(400, 401);

      assertThat(service.get("/v1/subscriptions", "Authorization", BEARER).status()).isEqualTo(200);
      assertThat(service.get("/v1/subscriptions", "Authorization", "bearer " + TOKEN).status())
          .isEqualTo(200);
      assertThat(service.get("/nothing", "Authorization", BEARER).status()).isEqualTo(404);
      assertThat(service.sendRaw(get("/problems/internal", "any.example")))
          .startsWith("HTTP/1.1 200");
    }
    assertThat(log).doesNotContain(TOKEN, "No API token", "generated security password");
  }

  @Test
  void operatorsHaveTokensOfTheirOwn(CapturedOutput log) {
    try (TestService service =
        TestService.start(
            "seriatim.security.operators.anna=annas-token-0123456789",
            "seriatim.security.operators.b.o_b-2=bobs-token-0123456789",
            "server.address=0.0.0.0")) {
      for (String token : new String[] {"annas-token-0123456789", "bobs-token-0123456789"}) {
        assertThat(service.get("/v1/audit", "Authorization", "Bearer " + token).status())
            .as(token)
            .isEqualTo(200);
      }
      String[] bob = {"Authorization", "Bearer bobs-token-0123456789"};
      assertThat(service.post("/v1/partitions/0/pause", null, bob).status()).isEqualTo(200);
      assertThat(service.get("/v1/audit", bob).text("/items/0/operator")).isEqualTo("b.o_b-2");
      assertThat(service.get("/v3/api-docs", bob).json().path("paths").propertyNames())
          .contains("/v1/lanes", "/v1/lanes/{id}/skip", "/v1/partitions/{partition}/pause");
      assertThat(service.get("/v1/audit", "Authorization", "Bearer anna").status()).isEqualTo(401);
      assertThat(service.get("/v1/audit").status()).isEqualTo(401);
      assertThat(service.get("/v1/audit", "Authorization", BEARER).status()).isEqualTo(401);
    }
    assertThat(log).doesNotContain("token-0123456789", "No API token");
  }

  @Test
  void healthIsOpenButItsDetailsAreNot() {
    try (TestService service = TestService.start("seriatim.security.token=" + TOKEN)) {
      Answer anonymous = service.get("/actuator/health");
      assertThat(anonymous.status()).isEqualTo(200);
      assertThat(anonymous.json().has("components")).isFalse();
      assertThat(service.get("/actuator/health/liveness").status()).isEqualTo(200);

      Answer known = service.get("/actuator/health", "Authorization", BEARER);
      assertThat(known.json().at("/components/db/status").asString()).isEqualTo("UP");
    }
  }

  @Test
  void withTokenTheManagementPortNeedsItToo() {
    try (TestService service =
        TestService.start("seriatim.security.token=" + TOKEN, "management.server.port=0")) {
      int port = service.port("local.management.port");

      assertThat(TestService.sendRaw(port, get("/actuator/metrics", "any.example")))
          .startsWith("HTTP/1.1 401");
      assertThat(TestService.sendRaw(port, get("/actuator/health", "any.example")))
          .startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void publicAddressWithoutTokenIsRefused(CapturedOutput log) {
    assertThatThrownBy(() -> TestService.start("server.address=0.0.0.0"));

    assertThat(log)
        .contains(
            "\nserver.address is 0.0.0.0, which other machines can reach, but no API token is configured")
        .doesNotContain("management.server.address")
        .contains("Set seriatim.security.token (SERIATIM_SECURITY_TOKEN)")
        .doesNotContain("\tat ");
  }

  @Test
  void publicManagementAddressWithoutTokenIsRefused(CapturedOutput log) {
    assertThatThrownBy(
        () ->
            TestService.start(
                "management.server.port=0",
                "management.server.address=0.0.0.0",
                "seriatim.security.token="));

    assertThat(log)
        .contains("management.server.address is 0.0.0.0, which other machines can reach");
  }

  @Test
  void weakTokenIsRefusedWithoutRepeatingIt(CapturedOutput log) {
    assertThatThrownBy(() -> TestService.start("seriatim.security.token=hunter2hunter2"));
    assertThatThrownBy(() -> TestService.start("seriatim.security.token=hunter2 hunter2 hunter2"));

    assertThat(log)
        .contains("seriatim.security.token has 14 characters, which is too easy to guess")
        .contains("seriatim.security.token has characters that no HTTP header can carry")
        .contains("APPLICATION FAILED TO START")
        .doesNotContain("hunter2", "\tat ");
  }

  private static String get(String path, String host) {
    return "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
  }

  private static Optional<InetAddress> addressOfThisMachine() throws SocketException {
    return NetworkInterface.networkInterfaces()
        .flatMap(NetworkInterface::inetAddresses)
        .filter(address -> !address.isLoopbackAddress() && !address.isLinkLocalAddress())
        .findFirst();
  }
}
