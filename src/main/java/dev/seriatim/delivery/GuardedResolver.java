package dev.seriatim.delivery;

import dev.seriatim.partition.MonotonicClock;
import dev.seriatim.subscription.TargetGuard;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import org.apache.hc.client5.http.DnsResolver;

/**
 * What the HTTP client dials: of the addresses of a name, those that the guard permits at this
 * moment. It hands out addresses, not names, so there is no second lookup that could answer
 * differently (DNS rebinding).
 */
final class GuardedResolver implements DnsResolver {

  private final NameLookups lookups;
  private final TargetGuard guard;
  private final Duration longest;
  private final MonotonicClock clock;

  /**
   * @param longest bound of one lookup, besides the deadline of the flight
   */
  GuardedResolver(NameLookups lookups, TargetGuard guard, Duration longest, MonotonicClock clock) {
    this.lookups = lookups;
    this.guard = guard;
    this.longest = longest;
    this.clock = clock;
  }

  @Override
  public InetAddress[] resolve(String host) throws UnknownHostException {
    Flight flight = Flight.CURRENT.get();
    enter(flight, host);
    long wait = Math.min(longest.toNanos(), flight.remaining(clock.nanos()));
    InetAddress[] permitted =
        Arrays.stream(lookups.lookUp(host, Duration.ofNanos(wait)))
            .filter(guard::permits)
            .toArray(InetAddress[]::new);
    if (permitted.length == 0) {
      throw new BlockedTargetException(host);
    }
    return permitted;
  }

  private static void enter(Flight flight, String host) throws UnknownHostException {
    try {
      flight.enter(Flight.Phase.RESOLVING);
    } catch (InterruptedIOException expired) {
      UnknownHostException unknown = new UnknownHostException(host + ": not looked up any more");
      unknown.initCause(expired);
      throw unknown;
    }
  }

  /** Names are sent as they were given. */
  @Override
  public String resolveCanonicalHostname(String host) {
    return host;
  }
}
