package dev.seriatim;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

class LogfmtTests {

  private final LoggingEvent event = event();
  private Map<String, String> mdc = Map.of();

  @Test
  void fieldsFollowTheMessage() {
    event.setMessage("Lane 17 is held");
    mdc = Map.of("traceId", "0af7");
    event.setKeyValuePairs(
        List.of(new KeyValuePair("tenant", "acme"), new KeyValuePair("sequence", 42L)));

    assertThat(line())
        .isEqualTo(
            "time=2026-01-31T12:00:00Z level=WARN logger=a.b.C thread=main"
                + " message=\"Lane 17 is held\" traceId=0af7 tenant=acme sequence=42\n");
  }

  @Test
  void nothingInAValueEndsItsLineOrItsField() {
    event.setMessage("a\"b\\c\nd\r\te\u0000\u2028=é");
    event.setKeyValuePairs(List.of(new KeyValuePair("a =\"\nb", ""), new KeyValuePair("n", null)));

    assertThat(line())
        .endsWith(" message=\"a\\\"b\\\\c\\nd\\r\\te\\u0000\\u2028=é\" a____b=\"\" n=null\n");
  }

  @Test
  void stackTraceIsAField() {
    event.setMessage("failed");
    event.setThrowableProxy(new ThrowableProxy(new IllegalStateException("why")));

    assertThat(line())
        .contains(" message=failed error=\"java.lang.IllegalStateException: why\\n\\tat ")
        .doesNotContain("\n\t");
  }

  private String line() {
    event.setMDCPropertyMap(mdc);
    return new Logfmt().format(event);
  }

  private static LoggingEvent event() {
    LoggingEvent event = new LoggingEvent();
    event.setLoggerContext(new LoggerContext());
    event.setLoggerName("a.b.C");
    event.setThreadName("main");
    event.setLevel(Level.WARN);
    event.setInstant(Instant.parse("2026-01-31T12:00:00Z"));
    return event;
  }
}
