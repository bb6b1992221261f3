package dev.seriatim.queue;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/**
 * An event as it came in, checked and ready to be stored.
 *
 * @param id unique within the tenant; given by the producer or generated
 * @param resource what the event is about; empty and missing are different
 * @param contentType media type of the payload, sent on as it is
 * @param payload the exact bytes that receivers get; not copied, so the caller must not change it
 *     afterwards
 * @param trace what deliveries continue; null for none. No part of what makes it the same event
 */
@SuppressWarnings("ArrayRecordComponent") // a value on its way to the database, never compared
public record NewEvent(
    String tenant,
    String id,
    String type,
    @Nullable String resource,
    String contentType,
    byte[] payload,
    @Nullable TraceContext trace) {

  /** Without a trace. */
  public NewEvent(
      String tenant,
      String id,
      String type,
      @Nullable String resource,
      String contentType,
      byte[] payload) {
    this(tenant, id, type, resource, contentType, payload, null);
  }

  /** The same in a trace. */
  public NewEvent in(@Nullable TraceContext newTrace) {
    return new NewEvent(tenant, id, type, resource, contentType, payload, newTrace);
  }

  /**
   * What makes a repeat of the same id the same event: SHA-256 over type, resource, content type
   * and payload, each with its length in front, so that no two contents read alike.
   */
  public byte[] fingerprint() {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      add(digest, type.getBytes(StandardCharsets.UTF_8));
      add(digest, resource == null ? null : resource.getBytes(StandardCharsets.UTF_8));
      add(digest, contentType.getBytes(StandardCharsets.UTF_8));
      add(digest, payload);
      return digest.digest();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  private static void add(MessageDigest digest, byte @Nullable [] part) {
    int length = part == null ? -1 : part.length;
    digest.update(
        new byte[] {
          (byte) (length >>> 24), (byte) (length >>> 16), (byte) (length >>> 8), (byte) length
        });
    if (part != null) {
      digest.update(part);
    }
  }
}
