package dev.seriatim;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import org.slf4j.event.KeyValuePair;
import org.springframework.boot.logging.structured.StructuredLogFormatter;

/**
 * Lines of {@code name=value}, one for each message whatever is in it, which Spring Boot has no
 * format for: {@code logging.structured.format.console=dev.seriatim.Logfmt}. Thread-safe.
 */
final class Logfmt implements StructuredLogFormatter<ILoggingEvent> {

  @Override
  public String format(ILoggingEvent event) {
    StringBuilder line = new StringBuilder(256);
    field(line, "time", event.getInstant().toString());
    field(line, "level", event.getLevel().toString());
    field(line, "logger", event.getLoggerName());
    field(line, "thread", event.getThreadName());
    field(line, "message", event.getFormattedMessage());
    new TreeMap<>(event.getMDCPropertyMap()).forEach((name, value) -> field(line, name, value));
    List<KeyValuePair> pairs = event.getKeyValuePairs();
    if (pairs != null) {
      pairs.forEach(pair -> field(line, pair.key, Objects.toString(pair.value)));
    }
    if (event.getThrowableProxy() != null) {
      field(line, "error", ThrowableProxyUtil.asString(event.getThrowableProxy()));
    }
    return line.append('\n').toString();
  }

  private static void field(StringBuilder line, String name, String value) {
    if (!line.isEmpty()) {
      line.append(' ');
    }
    name.chars().forEach(c -> line.append(bare(c) ? (char) c : '_'));
    line.append('=');
    if (!value.isEmpty() && value.chars().allMatch(Logfmt::bare)) {
      line.append(value);
    } else {
      quote(line, value);
    }
  }

  /** Whether it may stand outside of quotes. */
  private static boolean bare(int c) {
    return c > ' ' && c != '=' && c != '"' && c != '\\' && !Character.isISOControl(c) && c < 0x2000;
  }

  private static void quote(StringBuilder line, String value) {
    line.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      switch (c) {
        case '"', '\\' -> line.append('\\').append(c);
        case '\n' -> line.append("\\n");
        case '\r' -> line.append("\\r");
        case '\t' -> line.append("\\t");
        case '\u2028', '\u2029' -> escape(line, c); // ends of lines for some who read them
        default -> {
          if (Character.isISOControl(c)) {
            escape(line, c);
          } else {
            line.append(c);
          }
        }
      }
    }
    line.append('"');
  }

  private static void escape(StringBuilder line, char c) {
    line.append("\\u%04x".formatted((int) c));
  }
}
