package dev.seriatim.delivery;

import dev.seriatim.queue.Verdict;
import dev.seriatim.queue.VerdictCode;
import java.io.EOFException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import javax.net.ssl.SSLException;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.MalformedChunkCodingException;
import org.apache.hc.core5.http.MessageConstraintException;
import org.apache.hc.core5.http.TruncatedChunkException;
import org.jspecify.annotations.Nullable;

/** Names what an attempt came to. Pure. */
final class Verdicts {

  private Verdicts() {}

  /**
   * Of a complete answer.
   *
   * @param retryAfter the receiver's hint, if any
   */
  static Verdict of(int status, @Nullable Duration retryAfter) {
    return switch (status / 100) {
      case 2 -> new Verdict.Delivered(status);
      case 3 -> new Verdict.Failed(VerdictCode.REDIRECT, status, retryAfter);
      case 4 ->
          status == 410
              ? new Verdict.Gone(status)
              : new Verdict.Failed(VerdictCode.CLIENT_ERROR, status, retryAfter);
      default -> new Verdict.Failed(VerdictCode.SERVER_ERROR, status, retryAfter);
    };
  }

  /** Of a failure on the way there or back, by how far the request had come. */
  static VerdictCode code(Exception failure, Flight.Phase phase) {
    return switch (phase) {
      case RESOLVING ->
          failure instanceof BlockedTargetException ? VerdictCode.BLOCKED : VerdictCode.DNS;
      case CONNECTING ->
          failure instanceof SocketTimeoutException
              ? VerdictCode.CONNECT_TIMEOUT
              : VerdictCode.CONNECT_REFUSED;
      case HANDSHAKING ->
          failure instanceof SocketTimeoutException ? VerdictCode.CONNECT_TIMEOUT : VerdictCode.TLS;
      case EXCHANGING -> exchangeCode(failure);
    };
  }

  private static VerdictCode exchangeCode(Exception failure) {
    if (failure instanceof SSLException) {
      // With TLS 1.3 a refused client certificate shows only here; a torn connection shows as both.
      Throwable cause = failure.getCause();
      return cause instanceof SocketException || cause instanceof EOFException
          ? VerdictCode.CONNECTION_LOST
          : VerdictCode.TLS;
    }
    if (failure instanceof TruncatedChunkException) {
      return VerdictCode.CONNECTION_LOST;
    }
    if (failure instanceof MalformedChunkCodingException
        || failure instanceof MessageConstraintException
        || failure instanceof HttpException
        || failure.getCause() instanceof HttpException
        || failure instanceof RuntimeException) {
      return VerdictCode.PROTOCOL;
    }
    return VerdictCode.CONNECTION_LOST;
  }
}
