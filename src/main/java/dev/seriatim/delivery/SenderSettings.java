package dev.seriatim.delivery;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * How one attempt is made, the same for all subscriptions.
 *
 * @param connectTimeout the longest that a DNS lookup, a TCP connect and a TLS handshake may each
 *     take, 1 ms to 5 min; the deadline of the whole attempt goes on meanwhile
 * @param responseLimit how much of a response body is read and kept, 0 to 1 MB; the rest is cut and
 *     the connection closed
 */
@ConfigurationProperties("seriatim.delivery")
record SenderSettings(
    @DefaultValue("5s") Duration connectTimeout, @DefaultValue("16KB") DataSize responseLimit) {

  private static final Duration MAX_CONNECT_TIMEOUT = Duration.ofMinutes(5);
  private static final DataSize MAX_RESPONSE_LIMIT = DataSize.ofMegabytes(1);

  SenderSettings {
    if (connectTimeout.toMillis() < 1 || connectTimeout.compareTo(MAX_CONNECT_TIMEOUT) > 0) {
      throw new IllegalArgumentException(
          "seriatim.delivery.connect-timeout must be from 1 ms to 5 min, not " + connectTimeout);
    }
    if (responseLimit.isNegative() || responseLimit.compareTo(MAX_RESPONSE_LIMIT) > 0) {
      throw new IllegalArgumentException(
          "seriatim.delivery.response-limit must be from 0 to 1 MB, not " + responseLimit);
    }
  }

  int responseBytes() {
    return Math.toIntExact(responseLimit.toBytes());
  }
}
