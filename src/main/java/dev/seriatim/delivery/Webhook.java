package dev.seriatim.delivery;

import java.net.URI;
import java.time.Duration;
import java.util.Map;

/**
 * One HTTP request, ready to go.
 *
 * @param headers in the order they are sent; includes {@code Content-Type} and the signatures
 * @param deadline for the whole exchange, from dialling to the last byte of the answer
 */
@SuppressWarnings("ArrayRecordComponent") // a value on its way to a socket, never compared
record Webhook(URI url, Map<String, String> headers, byte[] body, Duration deadline) {

  /** The same with a deadline of at most this. */
  Webhook within(Duration longest) {
    return deadline.compareTo(longest) <= 0 ? this : new Webhook(url, headers, body, longest);
  }
}
