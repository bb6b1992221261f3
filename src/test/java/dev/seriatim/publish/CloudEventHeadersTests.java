package dev.seriatim.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.seriatim.api.ProblemException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;

/** The examples are those of the CloudEvents HTTP protocol binding 1.0.2, section 3.1.3.2. */
class CloudEventHeadersTests {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          Euro%20%E2%82%AC%20%F0%9F%98%80 | Euro € 😀
          Euro%20%e2%82%ac                | Euro €
          %41%42                          | AB
          %2525                           | %25
          plain value                     | plain value
          "a \\"quoted\\" %C3%A9"         | a "quoted" é
          a"b"c                           | abc
          a\\b                            | a\\b
          %22                             | "
          """)
  void valuesAreDecodedOnce(String value, String decoded) {
    assertThat(CloudEventHeaders.decode("ce-x", value)).isEqualTo(decoded);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"%C0%A0", "%ED%A0%80", "%FF", "%", "100%", "%4", "%zz", "é", "a\tb", "\"a"})
  void valuesThatAreNoTextAreRefused(String value) {
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> CloudEventHeaders.decode("ce-x", value))
        .satisfies(e -> assertThat(e.field()).isEqualTo("ce-x"));
  }

  @Test
  void namesAreCaseInsensitiveAndOtherHeadersLeftAlone() {
    MockHttpServletRequest request = new MockHttpServletRequest();
    request.addHeader("CE-Id", "1");
    request.addHeader("ce-Subject", "a%2Fb");
    request.addHeader("Content-Type", "text/plain");
    request.addHeader("X-Other", "%");
    assertThat(CloudEventHeaders.read(request))
        .containsOnlyKeys("id", "subject")
        .containsEntry("subject", "a/b");
  }

  @Test
  void headerThatIsSentTwiceIsRefused() {
    MockHttpServletRequest request = new MockHttpServletRequest();
    request.addHeader("ce-id", "1");
    request.addHeader("ce-id", "2");
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> CloudEventHeaders.read(request))
        .satisfies(e -> assertThat(e.field()).isEqualTo("ce-id"));
  }
}
