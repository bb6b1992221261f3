package dev.seriatim.delivery;

import java.util.function.BooleanSupplier;
import org.apache.hc.core5.concurrent.Cancellable;
import org.jspecify.annotations.Nullable;

/**
 * The right to send one request, and the way to take it back while the request is under way.
 *
 * <p>Concurrency: the sending thread asks and {@linkplain #uses uses} it, any other revokes it;
 * both fields are volatile for that. Whichever of the two comes last ends the request.
 */
final class Permit {

  private final BooleanSupplier condition;
  private volatile boolean revoked;
  private volatile @Nullable Cancellable request;

  /**
   * @param condition without which the request must not go out
   */
  Permit(BooleanSupplier condition) {
    this.condition = condition;
  }

  /** Asked before each step; once it is false, it stays false. */
  boolean lasts() {
    if (!revoked && !condition.getAsBoolean()) {
      revoked = true;
    }
    return !revoked;
  }

  /** The request that is sent under it; closes the connection when it is cancelled. */
  void uses(Cancellable underWay) {
    request = underWay;
    if (revoked) {
      underWay.cancel();
    }
  }

  /** No further step is taken. Never blocks. */
  void revoke() {
    revoked = true;
  }

  /**
   * Ends the request after {@link #revoke}: its connection is reset, so that what of it has not
   * arrived yet never will. May block while the connection closes.
   */
  void end() {
    Cancellable underWay = request;
    if (underWay != null) {
      underWay.cancel();
    }
  }

  boolean revoked() {
    return revoked;
  }
}
