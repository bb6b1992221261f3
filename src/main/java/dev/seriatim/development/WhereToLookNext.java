package dev.seriatim.development;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/** The last line of a start: the address, and what is worth opening there. */
@Component
final class WhereToLookNext {

  private static final Log log = LogFactory.getLog(WhereToLookNext.class);

  private final Environment environment;

  WhereToLookNext(Environment environment) {
    this.environment = environment;
  }

  @EventListener(ApplicationReadyEvent.class)
  void announce() {
    String port = environment.getProperty("local.server.port");
    if (port != null) {
      String address =
          "http://" + environment.getProperty("server.address", "localhost") + ":" + port;
      log.info(
          "Seriatim is ready at %1$s; where to look next: README.md (the first webhook), %1$s/ (the console), %1$s/playground, %1$s/v3/api-docs (the API)"
              .formatted(address));
    }
  }
}
