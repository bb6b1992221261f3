package dev.seriatim.subscription;

import dev.seriatim.api.ProblemException;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a URL must look like to be a target; each refusal says what would be right. */
final class TargetUrls {

  /**
   * Hosts that resolvers read as an IPv4 address: every label, or the last one, is a decimal, octal
   * or hexadecimal number (127.1, 2130706433, 0x7f000001).
   */
  private static final Pattern NUMERIC =
      Pattern.compile("(.*\\.)?([0-9]+|0x[0-9a-f]*)\\.?", Pattern.CASE_INSENSITIVE);

  private static final Pattern LOCALHOST =
      Pattern.compile(
          "(.*\\.)?localhost|localhost\\.localdomain|localhost[46]|ip6-(localhost|loopback)");

  private static final int MAX_PORT = 65_535;

  private final boolean httpsOnly;
  private final boolean loopbackAllowed;
  private final Predicate<InetAddress> permitted;

  TargetUrls(boolean httpsOnly, boolean loopbackAllowed, Predicate<InetAddress> permitted) {
    this.httpsOnly = httpsOnly;
    this.loopbackAllowed = loopbackAllowed;
    this.permitted = permitted;
  }

  URI check(String text) {
    URI url = parse(text);
    checkScheme(url.getScheme());
    if (url.getRawUserInfo() != null || rawAuthority(url).contains("@")) {
      throw refused(
          "must not contain a user or password; use the subscription's headers for credentials");
    }
    if (url.getRawFragment() != null) {
      throw refused("must not have a fragment (#…), a request cannot carry one");
    }
    String host = url.getHost();
    if (host == null) {
      throw refused(whatIsWrongWithHost(rawAuthority(url)));
    }
    if (url.getPort() == 0 || url.getPort() > MAX_PORT) {
      throw refused("must have a port from 1 to " + MAX_PORT);
    }
    checkHost(host);
    return url;
  }

  private static URI parse(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c <= ' ' || c >= 0x7f) {
        throw refused(
            "must be visible ASCII (U+%04X at %d is not): percent-encode it, or write the name in its xn-- form"
                .formatted((int) c, i));
      }
    }
    try {
      return new URI(text);
    } catch (URISyntaxException e) {
      throw refused(
          "must be a URL such as https://example.com/hooks (%s)".formatted(e.getReason()));
    }
  }

  private void checkScheme(@Nullable String scheme) {
    if (httpsOnly && !"https".equalsIgnoreCase(scheme)) {
      throw refused("must start with https://");
    }
    if (!"https".equalsIgnoreCase(scheme) && !"http".equalsIgnoreCase(scheme)) {
      throw refused("must start with https:// or http://");
    }
  }

  private void checkHost(String host) {
    if (host.startsWith("[")) {
      checkIpv6(host.substring(1, host.length() - 1));
    } else if (NUMERIC.matcher(host).matches()) {
      checkIpv4(host);
    } else if (!loopbackAllowed && LOCALHOST.matcher(plainName(host)).matches()) {
      throw refused(forbidden(host));
    }
  }

  private void checkIpv6(String literal) {
    if (literal.contains("%")) {
      throw refused("must not name a network interface (%…) in its address");
    }
    checkAddress(InetAddress.ofLiteral(literal));
  }

  private void checkIpv4(String literal) {
    InetAddress address;
    try {
      address = InetAddress.ofLiteral(literal);
    } catch (IllegalArgumentException notAnAddress) {
      throw refused(oddNumber(literal));
    }
    // 010.0.0.1 is 10.0.0.1 to some and 8.0.0.1 to others.
    if (!address.getHostAddress().equals(literal)) {
      throw refused(oddNumber(literal));
    }
    checkAddress(address);
  }

  private void checkAddress(InetAddress address) {
    if (!permitted.test(address)) {
      throw refused(forbidden(address.getHostAddress()));
    }
  }

  private static String whatIsWrongWithHost(String authority) {
    int colon = authority.lastIndexOf(':');
    String host = colon < 0 ? authority : authority.substring(0, colon);
    if (host.isEmpty()) {
      return "must have a host";
    }
    if (NUMERIC.matcher(host).matches()) {
      return oddNumber(host);
    }
    return "must have a host of letters, digits, hyphens and dots, and a port from 1 to %d if any ('%s' is not)"
        .formatted(MAX_PORT, authority);
  }

  private static String oddNumber(String host) {
    return "must write an IPv4 address as four decimal numbers without leading zeros, '%s' is not"
        .formatted(host);
  }

  private static String forbidden(String host) {
    return "must not point to %s, which is no public address; an operator can allow it by seriatim.targets.allow"
        .formatted(host);
  }

  private static String rawAuthority(URI url) {
    String authority = url.getRawAuthority();
    return authority == null ? "" : authority;
  }

  private static String plainName(String host) {
    String name = host.toLowerCase(Locale.ROOT);
    return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
  }

  private static ProblemException refused(String detail) {
    return ProblemException.invalid("url", detail);
  }
}
