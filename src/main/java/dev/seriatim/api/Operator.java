package dev.seriatim.api;

import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.stereotype.Component;

/** Who is calling, as the audit names them. Thread-safe; each thread has the caller it serves. */
@Component
public class Operator {

  /** Whoever calls a service that has no token: a program on its own machine. */
  static final String LOOPBACK = "loopback";

  /** Whoever has {@code seriatim.security.token}. */
  static final String API_TOKEN = "api-token";

  /**
   * The name that goes with the token of the request which this thread serves. Only there: a thread
   * that goes on after the answer must be handed the name.
   */
  public String name() {
    Authentication caller = SecurityContextHolder.getContext().getAuthentication();
    return caller == null || caller instanceof AnonymousAuthenticationToken
        ? LOOPBACK
        : caller.getName();
  }
}
