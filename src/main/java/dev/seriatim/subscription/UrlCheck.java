package dev.seriatim.subscription;

import java.net.URI;

/** Whether webhooks may be sent to a URL. */
@FunctionalInterface
interface UrlCheck {

  /**
   * @throws dev.seriatim.api.ProblemException naming the field {@code url} when it is not a URL, or
   *     leads where webhooks must not go
   */
  URI check(String url);
}
