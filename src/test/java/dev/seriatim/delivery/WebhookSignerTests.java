package dev.seriatim.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.seriatim.subscription.WebhookSecret;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

class WebhookSignerTests {

  private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

  @ParameterizedTest
  @MethodSource
  void signatureMatchesTheVector(JsonNode vector) {
    String signature =
        WebhookSigner.sign(
            List.of(WebhookSecret.parse(vector.get("secret").stringValue())),
            vector.get("id").stringValue(),
            vector.get("timestamp").longValue(),
            Base64.getDecoder().decode(vector.get("bodyBase64").stringValue()));

    assertThat(signature).isEqualTo(vector.get("signature").stringValue());
  }

  static Stream<JsonNode> signatureMatchesTheVector() {
    return Vectors.read("signature.json", "symmetric");
  }

  @ParameterizedTest
  @MethodSource
  void rejectedSecretVectorIsRefusedWithoutRepeatingIt(String secret) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> WebhookSecret.parse(secret))
        .satisfies(
            e -> {
              if (secret.length() > "whsec_".length()) {
                assertThat(e.getMessage()).doesNotContain(secret.substring("whsec_".length()));
              }
            });
  }

  static Stream<String> rejectedSecretVectorIsRefusedWithoutRepeatingIt() {
    return Vectors.read("signature.json", "rejectedSecrets").map(JsonNode::stringValue);
  }

  @Test
  void everyActiveSecretSigns() {
    WebhookSecret current = WebhookSecret.of(new byte[32]);
    WebhookSecret previous = WebhookSecret.parse(SECRET);
    byte[] body = {1, 2, 3};

    assertThat(WebhookSigner.sign(List.of(current, previous), "id", 1, body))
        .isEqualTo(
            WebhookSigner.sign(List.of(current), "id", 1, body)
                + " "
                + WebhookSigner.sign(List.of(previous), "id", 1, body));
  }

  @Test
  void orderSignatureCoversIdTimestampKeyAndSequence() {
    List<WebhookSecret> secrets = List.of(WebhookSecret.parse(SECRET));

    // Computed apart: printf 'evt~sub.1614265330.a%%20b.7' | openssl dgst -sha256 -mac HMAC …
    assertThat(WebhookSigner.signOrder(secrets, "evt~sub", 1614265330, "a%20b", 7))
        .isEqualTo("v1,MZijPtpiSqFL5pQYbyyveU5sHFRBkRncP/6yCdS8F0c=");
  }
}
