package dev.seriatim.delivery;

import java.net.UnknownHostException;

/** A name resolved to nothing but addresses that webhooks must not reach. */
final class BlockedTargetException extends UnknownHostException {

  BlockedTargetException(String host) {
    super(host + " has no address that webhooks may be sent to");
  }
}
