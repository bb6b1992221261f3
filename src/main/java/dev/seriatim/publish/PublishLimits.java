package dev.seriatim.publish;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * How much a producer may send at once.
 *
 * @param maxPayload largest payload of one event; 1 byte to 512 MB. It is held in memory and in one
 *     row of the database
 * @param maxBatchBody largest body of a batch request, at least max-payload; up to 1 GB. It is held
 *     in memory while the request is handled
 */
@ConfigurationProperties("seriatim.publish")
public record PublishLimits(
    @DefaultValue("1MB") DataSize maxPayload, @DefaultValue("16MB") DataSize maxBatchBody) {

  /** What surrounds a payload in a single request: the other fields, escapes, white space. */
  private static final int ENVELOPE_ROOM = 64 * 1024;

  private static final DataSize LARGEST_PAYLOAD = DataSize.ofMegabytes(512);
  private static final DataSize LARGEST_BODY = DataSize.ofGigabytes(1);

  /**
   * @throws IllegalArgumentException when a value is out of range or the two disagree
   */
  public PublishLimits {
    if (maxPayload.toBytes() < 1 || maxPayload.compareTo(LARGEST_PAYLOAD) > 0) {
      throw new IllegalArgumentException(
          "seriatim.publish.max-payload must be 1B to 512MB, it is " + maxPayload);
    }
    if (maxBatchBody.compareTo(LARGEST_BODY) > 0) {
      throw new IllegalArgumentException(
          "seriatim.publish.max-batch-body must be at most 1GB, it is " + maxBatchBody);
    }
    if (maxBatchBody.compareTo(maxPayload) < 0) {
      throw new IllegalArgumentException(
          "seriatim.publish.max-batch-body (%s) must not be less than seriatim.publish.max-payload (%s): raise the first or lower the second"
              .formatted(maxBatchBody, maxPayload));
    }
  }

  /** Bytes that one payload may have. */
  int payloadBytes() {
    return Math.toIntExact(maxPayload.toBytes());
  }

  /** Bytes of a request body that is one payload with its envelope. */
  int envelopeBytes() {
    return payloadBytes() + ENVELOPE_ROOM;
  }

  /** Bytes of a structured CloudEvent, where base64 may make three bytes of payload four. */
  int structuredBytes() {
    return Math.toIntExact(payloadBytes() * 4L / 3) + ENVELOPE_ROOM;
  }

  /** Bytes of the body of a batch. */
  int batchBytes() {
    return Math.toIntExact(maxBatchBody.toBytes());
  }
}
