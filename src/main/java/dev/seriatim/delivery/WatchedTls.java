package dev.seriatim.delivery;

import java.io.IOException;
import java.net.Socket;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.apache.hc.client5.http.ssl.TlsSocketStrategy;
import org.apache.hc.core5.http.protocol.HttpContext;

/** TLS with certificate and host name checked, told apart from what comes before and after it. */
final class WatchedTls implements TlsSocketStrategy {

  private final DefaultClientTlsStrategy tls;

  WatchedTls(SSLContext context) {
    this.tls = new DefaultClientTlsStrategy(context);
  }

  @Override
  public SSLSocket upgrade(
      Socket socket, String target, int port, Object attachment, HttpContext context)
      throws IOException {
    Flight flight = Flight.CURRENT.get();
    flight.enter(Flight.Phase.HANDSHAKING);
    SSLSocket secured = tls.upgrade(socket, target, port, attachment, context);
    flight.enter(Flight.Phase.EXCHANGING);
    return secured;
  }
}
