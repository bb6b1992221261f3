package dev.seriatim.api;

import java.util.Locale;
import java.util.regex.Pattern;

/** Whether a host as written in a request is this machine, whatever a resolver says. */
final class LoopbackHost {

  private static final Pattern NAMES =
      Pattern.compile("(localhost|127(\\.\\d{1,3}){3}|\\[::1])(:\\d{1,5})?");

  private LoopbackHost() {}

  /**
   * @param host the value of a Host header, with or without a port
   */
  static boolean is(String host) {
    return NAMES.matcher(host.toLowerCase(Locale.ROOT)).matches();
  }

  /**
   * @param origin the value of an Origin header; {@code null}, the origin of sandboxed pages, is
   *     not this machine
   */
  static boolean isOrigin(String origin) {
    int host = origin.indexOf("://");
    return host > 0 && is(origin.substring(host + 3));
  }
}
