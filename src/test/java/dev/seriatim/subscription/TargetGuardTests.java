package dev.seriatim.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.seriatim.api.ProblemException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.io.ClassPathResource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Case H9, every vector of {@code vectors/targets.json} and its kind. */
class TargetGuardTests {

  private static final TargetGuard STRICT = guard(List.of(), List.of());
  private static final TargetGuard LOCAL = guard(List.of("127.0.0.0/8", "::1/128"), List.of());

  @ParameterizedTest
  @MethodSource
  void blockedVectorIsNotPermitted(String address) {
    assertThat(STRICT.permits(InetAddress.ofLiteral(address))).isFalse();
    String host = address.contains(":") ? "[" + address + "]" : address;
    assertRefused(STRICT, "https://" + host + ":8443/hook");
  }

  static Stream<String> blockedVectorIsNotPermitted() {
    return vectors("blocked");
  }

  @ParameterizedTest
  @MethodSource
  void allowedVectorIsPermitted(String address) {
    assertThat(STRICT.permits(InetAddress.ofLiteral(address))).isTrue();
  }

  static Stream<String> allowedVectorIsPermitted() {
    return vectors("allowed");
  }

  @ParameterizedTest
  @MethodSource
  void blockedUrlVectorIsRefused(String url) {
    assertRefused(STRICT, url);
  }

  static Stream<String> blockedUrlVectorIsRefused() {
    return vectors("blockedUrls");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "64:ff9b:1::1",
        "2001:0:4136:e378::1",
        "::127.0.0.1",
        "fec0::1",
        "100::1",
        "3fff::1",
        "5f00::1",
        "198.19.255.255",
        "203.0.113.7",
        "198.51.100.1",
        "192.0.2.1",
        "192.88.99.1",
        "100.127.255.255",
        "172.31.255.255",
        "168.63.129.16",
        "255.255.255.254",
        "239.1.1.1",
        "ff0e::1",
        "64:ff9b::7f00:1"
      })
  void specialAddressIsNotPermitted(String address) {
    assertThat(STRICT.permits(InetAddress.ofLiteral(address))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "100.128.0.1",
        "172.32.0.1",
        "172.15.0.1",
        "11.0.0.1",
        "64:ff9b::808:808",
        "2a00::1"
      })
  void neighbourOfASpecialBlockIsPermitted(String address) {
    assertThat(STRICT.permits(InetAddress.ofLiteral(address))).isTrue();
  }

  @Test
  void mappedAddressIsJudgedAsIpv4EvenWhereTheJdkKeepsItIpv6() throws Exception {
    byte[] bytes = new byte[16];
    bytes[10] = bytes[11] = (byte) 0xff;
    bytes[12] = 127;
    bytes[15] = 1;
    InetAddress mapped = Inet6Address.getByAddress("mapped", bytes, -1);

    assertThat(mapped).isInstanceOf(Inet6Address.class);
    assertThat(STRICT.permits(mapped)).isFalse();
    assertThat(LOCAL.permits(mapped)).isTrue();
  }

  @Test
  void allowOverridesTheListAndDenyOverridesAllow() {
    TargetGuard guard = guard(List.of("10.0.0.0/8"), List.of("10.9.0.0/16", "8.8.8.8"));

    assertThat(guard.permits(InetAddress.ofLiteral("10.1.2.3"))).isTrue();
    assertThat(guard.permits(InetAddress.ofLiteral("10.9.2.3"))).isFalse();
    assertThat(guard.permits(InetAddress.ofLiteral("8.8.8.8"))).isFalse();
    assertThat(guard.permits(InetAddress.ofLiteral("64:ff9b::808:808"))).isFalse();
    assertThat(guard.permits(InetAddress.ofLiteral("8.8.4.4"))).isTrue();
    assertThat(guard.permits(InetAddress.ofLiteral("192.168.0.1"))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://hooks.acme.example/orders?x=1&y=%20",
        "http://example.com",
        "HTTPS://Example.COM:8443/a//b",
        "https://1.1.1.1/",
        "https://[2606:4700:4700::1111]:443/",
        "https://xn--bcher-kva.example/",
        "https://example.com./",
        "https://localhost.example.com/"
      })
  void ordinaryUrlIsTaken(String url) {
    assertThat(STRICT.checkUrl(url)).isEqualTo(URI.create(url));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "example.com/x",
        "mailto:a@b.example",
        "http://",
        "http://:80/",
        "http://example.com/#top",
        "http://example.com:0/",
        "http://example.com:65536/",
        "http://example.com:99999999999/",
        "http://user@example.com/",
        "http://exa_mple.com/",
        "http://bücher.example/",
        "http://example.com/ü",
        "http://example.com/\r\nHost: x",
        "http://example.com/\u0000",
        "http://example.com\\@127.0.0.1/",
        "http://127.0.0.1./",
        "http://010.8.8.8/",
        "http://0x7f.1/",
        "http://8.8.8.256/",
        "http://1.2.3.4.5/",
        "http://[fe80::1%25eth0]/",
        "http://[::ffff:127.0.0.1]/",
        "http://LOCALHOST/",
        "http://a.localhost/",
        "http://ip6-localhost/"
      })
  void badUrlIsRefused(String url) {
    assertRefused(STRICT, url);
  }

  @Test
  void refusalSaysWhatWouldBeRight() {
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> STRICT.checkUrl("http://2130706433/"))
        .withMessage(
            "url must write an IPv4 address as four decimal numbers without leading zeros, '2130706433' is not");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://localhost:9000/",
        "http://127.0.0.1/",
        "http://[::1]/",
        "http://localhost./"
      })
  void loopbackIsTakenWhereItIsAllowed(String url) {
    assertThat(LOCAL.checkUrl(url)).isEqualTo(URI.create(url));
  }

  @Test
  void oddNumbersAreRefusedEvenWhereTheirAddressIsAllowed() {
    assertRefused(LOCAL, "http://127.1/");
    assertRefused(LOCAL, "http://0x7f000001/");
  }

  @Test
  void httpsOnlyRefusesHttp() {
    TargetGuard guard = new TargetGuard(new TargetSettings(List.of(), List.of(), true));

    assertRefused(guard, "http://example.com/");
    assertThat(guard.checkUrl("https://example.com/")).isNotNull();
  }

  private static void assertRefused(TargetGuard guard, String url) {
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> guard.checkUrl(url))
        .satisfies(problem -> assertThat(problem.field()).isEqualTo("url"));
  }

  private static TargetGuard guard(List<String> allow, List<String> deny) {
    return new TargetGuard(
        new TargetSettings(
            allow.stream().map(Cidr::valueOf).toList(),
            deny.stream().map(Cidr::valueOf).toList(),
            false));
  }

  private static Stream<String> vectors(String name) {
    try (var stream = new ClassPathResource("vectors/targets.json").getInputStream()) {
      return new JsonMapper().readTree(stream).get(name).valueStream().map(JsonNode::stringValue);
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
