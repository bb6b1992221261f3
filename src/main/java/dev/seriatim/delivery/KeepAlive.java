package dev.seriatim.delivery;

import java.util.Iterator;
import org.apache.hc.client5.http.ConnectionKeepAliveStrategy;
import org.apache.hc.core5.http.HeaderElement;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.message.MessageSupport;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.util.TimeValue;

/**
 * How long an idle connection stays. Receivers close idle connections, many after five seconds, and
 * a request that crosses such a close is lost and costs an attempt; so we are the first to close:
 * after {@value #LONGEST_SECONDS} s, or a second before the time that the receiver announces.
 */
final class KeepAlive implements ConnectionKeepAliveStrategy {

  static final int LONGEST_SECONDS = 4;

  @Override
  public TimeValue getKeepAliveDuration(HttpResponse response, HttpContext context) {
    if (!response.containsHeader("Keep-Alive")) {
      return TimeValue.ofSeconds(LONGEST_SECONDS);
    }
    long seconds = LONGEST_SECONDS;
    Iterator<HeaderElement> elements = MessageSupport.iterate(response, "Keep-Alive");
    while (elements.hasNext()) {
      HeaderElement element = elements.next();
      String value = element.getValue();
      if (element.getName().equalsIgnoreCase("timeout")
          && value != null
          && value.matches("[0-9]{1,9}")) {
        seconds = Math.clamp(Long.parseLong(value) - 1, 0, seconds);
      }
    }
    return TimeValue.ofSeconds(seconds);
  }
}
