package dev.seriatim.scenario;

import java.util.List;

/**
 * While it is open, packets between whoever uses a loopback address and a port there are dropped,
 * both ways and without a word, as when a cable is cut. What TCP then repeats arrives afterwards.
 */
final class Blackout implements AutoCloseable {

  private final List<String> rules;

  /**
   * @param address a loopback address that only those use whom it is to hit
   */
  Blackout(String address, int port) {
    rules =
        List.of(
            "INPUT -i lo -p tcp -d %s --dport %d -j DROP".formatted(address, port),
            "INPUT -i lo -p tcp -s %s --sport %d -j DROP".formatted(address, port));
    try {
      rules.forEach(rule -> Shell.run("iptables -w -I " + rule));
    } catch (IllegalStateException half) {
      close();
      throw half;
    }
  }

  /** Whether this machine lets us. */
  static boolean possible() {
    return Shell.succeeds("iptables -w -n -L INPUT");
  }

  @Override
  public void close() {
    rules.forEach(rule -> Shell.succeeds("iptables -w -D " + rule));
  }
}
