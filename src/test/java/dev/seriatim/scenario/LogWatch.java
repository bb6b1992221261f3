package dev.seriatim.scenario;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What the pods of this JVM warn of. Begins after the last of them has started. */
final class LogWatch implements AutoCloseable {

  private final Logger logger = (Logger) LoggerFactory.getLogger("dev.seriatim");
  private final List<String> warnings = new CopyOnWriteArrayList<>();
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          if (event.getLevel().isGreaterOrEqual(Level.WARN)) {
            warnings.add(event.getLevel() + " " + event.getFormattedMessage());
          }
        }
      };

  LogWatch() {
    appender.setContext(logger.getLoggerContext());
    appender.start();
    logger.addAppender(appender);
  }

  List<String> warnings() {
    return warnings;
  }

  void await(String part) {
    Patience.until(
        "a warning with \"" + part + "\"",
        () -> warnings.stream().anyMatch(warning -> warning.contains(part)));
  }

  @Override
  public void close() {
    logger.detachAppender(appender);
  }
}
