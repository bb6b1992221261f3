package dev.seriatim.publish;

import dev.seriatim.api.ProblemException;
import dev.seriatim.api.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;

/**
 * Reads request bodies as the bytes they are, never more of them than allowed. The servlet's stream
 * is read directly: nothing between it and here decodes, converts or re-encodes.
 */
final class Bodies {

  private Bodies() {}

  /**
   * The whole body. Blocks until it is there.
   *
   * @param limit bytes it may have
   * @param hint how to stay within the limit, for the producer
   * @throws ProblemException 413 as soon as it is known to be larger, be it announced by {@code
   *     Content-Length} or not; 415 when it is compressed; 400 when it ends early
   */
  static Slice read(HttpServletRequest request, int limit, String hint) {
    String encoding = request.getHeader("Content-Encoding");
    if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
      throw ContentTypes.unsupported(
          "The body must be sent without Content-Encoding, it says " + encoding);
    }
    if (request.getContentLengthLong() > limit) {
      throw tooLarge(limit, hint);
    }
    byte[] body;
    try {
      body = request.getInputStream().readNBytes(limit + 1);
    } catch (IOException e) {
      ProblemException problem =
          new ProblemException(
              ProblemType.INVALID_REQUEST, "The body could not be read to its end");
      problem.initCause(e);
      throw problem;
    }
    if (body.length > limit) {
      throw tooLarge(limit, hint);
    }
    return Slice.of(body);
  }

  private static ProblemException tooLarge(int limit, String hint) {
    return new ProblemException(
        ProblemType.TOO_LARGE, "The body has more than %d bytes; %s".formatted(limit, hint));
  }
}
