package dev.seriatim.delivery;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketAddress;

/**
 * Notes the address it dials, and dials nothing for a flight whose deadline has passed. Never goes
 * through a SOCKS proxy, which would dial something else than what was vetted.
 */
final class DialledSocket extends Socket {

  DialledSocket() {
    super(Proxy.NO_PROXY);
  }

  @Override
  public void connect(SocketAddress endpoint, int timeout) throws IOException {
    Flight flight = Flight.CURRENT.get();
    flight.enter(Flight.Phase.CONNECTING);
    if (endpoint instanceof InetSocketAddress internet) {
      flight.dials(internet.getAddress());
    }
    super.connect(endpoint, timeout);
    flight.enter(Flight.Phase.EXCHANGING);
  }
}
