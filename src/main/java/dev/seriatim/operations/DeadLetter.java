package dev.seriatim.operations;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.swagger.v3.oas.annotations.media.Schema;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A delivery that was taken out of line.
 *
 * @param id grows from dead letter to dead letter
 * @param key absent, as is {@code sequence}, for the ordering scope {@code NONE}
 * @param attempts that came to a verdict before it was given up
 * @param reason why it was given up
 * @param lastVerdict what the last attempt came to; {@code NOT_ATTEMPTED} if it was skipped before
 *     its first
 * @param enqueuedAt when it came into the queue: with the event, or by its last replay
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record DeadLetter(
    long id,
    String tenant,
    String subscription,
    String event,
    String eventType,
    @Nullable String key,
    @Nullable Long sequence,
    int attempts,
    String reason,
    String lastVerdict,
    Instant enqueuedAt,
    @Nullable Instant firstAttemptAt,
    Instant ejectedAt) {

  /**
   * One dead letter with all there is to see.
   *
   * @param payload the text of the payload; absent when it is not UTF-8
   * @param payloadBase64 the bytes of the payload
   * @param recentAttempts newest first, at most {@link RecentAttempts#MOST}; fewer when their
   *     history is no longer kept
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @Schema(name = "DeadLetterDetail")
  @SuppressWarnings("ArrayRecordComponent") // an answer, never compared
  record Detail(
      @JsonUnwrapped DeadLetter deadLetter,
      @Nullable String resource,
      String contentType,
      @Nullable String payload,
      byte[] payloadBase64,
      List<Attempt> recentAttempts) {}

  /** The text that the bytes are in UTF-8; null when they are something else. */
  static @Nullable String textOrNull(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException notText) {
      return null;
    }
  }
}
