package dev.seriatim.subscription;

import dev.seriatim.api.ProblemException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;

/**
 * Keeps webhooks away from addresses they have no business with. A URL is checked when it is given,
 * which spares its author a surprise; what protects is {@link #permits}, asked of the address that
 * is dialled, for every dial, because a name can resolve to anything at any time.
 *
 * <p>Immutable and thread-safe; never asks the DNS.
 */
public final class TargetGuard {

  /** IPv4 behind NAT64 (RFC 6052): what is reached is the address in the last 32 bits. */
  private static final Cidr NAT64 = Cidr.valueOf("64:ff9b::/96");

  private static final List<InetAddress> LOOPBACKS =
      List.of(InetAddress.ofLiteral("127.0.0.1"), InetAddress.ofLiteral("::1"));

  private final TargetSettings settings;
  private final TargetUrls urls;

  public TargetGuard(TargetSettings settings) {
    this.settings = settings;
    this.urls =
        new TargetUrls(
            settings.httpsOnly(), LOOPBACKS.stream().anyMatch(this::permits), this::permits);
  }

  /**
   * Checks a URL as a client gave it. Says nothing about where its name resolves to.
   *
   * @return the URL, with a scheme, a host and nothing that a request cannot carry
   * @throws ProblemException naming the field {@code url} and what would be right
   */
  public URI checkUrl(String url) {
    return urls.check(url);
  }

  /**
   * Whether a webhook may be sent to this address: never if it is denied, always if it is allowed,
   * and otherwise unless it is special (loopback, private, link local, multicast and so on, after
   * the IANA special-purpose address registries and RFC 6890). An IPv4 address is judged as such in
   * whatever IPv6 form it comes, mapped or behind NAT64.
   */
  public boolean permits(InetAddress address) {
    InetAddress plain = unmapped(address);
    if (in(settings.deny(), plain)) {
      return false;
    }
    if (in(settings.allow(), plain)) {
      return true;
    }
    if (NAT64.contains(plain)) {
      return permits(lastFourBytes(plain));
    }
    return !SpecialAddresses.contain(plain);
  }

  private static boolean in(List<Cidr> blocks, InetAddress address) {
    for (Cidr block : blocks) {
      if (block.contains(address)) {
        return true;
      }
    }
    return false;
  }

  /** ::ffff:a.b.c.d is the IPv4 address; the JDK turns its bytes into one. */
  private static InetAddress unmapped(InetAddress address) {
    return of(address.getAddress());
  }

  private static InetAddress lastFourBytes(InetAddress address) {
    byte[] bytes = address.getAddress();
    return of(Arrays.copyOfRange(bytes, bytes.length - 4, bytes.length));
  }

  private static InetAddress of(byte[] bytes) {
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException wrongLength) {
      throw new IllegalArgumentException("an address has 4 or 16 bytes", wrongLength);
    }
  }
}
