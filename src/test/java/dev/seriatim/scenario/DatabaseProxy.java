package dev.seriatim.scenario;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A detour to PostgreSQL that can be cut, as when the server is restarted: what is connected is
 * torn, and new connections end at once until it is whole again. Or it can swallow what goes either
 * way, as a network does that drops packets.
 */
final class DatabaseProxy implements AutoCloseable {

  private final ServerSocket server;
  private final URI target;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

  /** Read by the accepting thread for each connection. */
  private volatile boolean cut;

  /** Read by the pumping threads for each piece. */
  private volatile boolean swallowing;

  /**
   * @param url JDBC URL of a database
   */
  DatabaseProxy(String url) {
    this.target = URI.create(url.substring("jdbc:".length()));
    try {
      this.server = new ServerSocket(0, 200, InetAddress.ofLiteral("127.0.0.1"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread.ofVirtual().name("database-proxy").start(this::accept);
  }

  /** The way to the same database through here. */
  String url() {
    return "jdbc:postgresql://127.0.0.1:%d%s".formatted(server.getLocalPort(), target.getPath());
  }

  void cut() {
    cut = true;
    sockets.forEach(DatabaseProxy::close);
  }

  void repair() {
    cut = false;
  }

  /** Connections stay open, and nothing arrives any more. */
  void swallow() {
    swallowing = true;
  }

  /** From now on things arrive; what was swallowed is gone, and so are connections that lack it. */
  void spit() {
    swallowing = false;
    sockets.forEach(DatabaseProxy::close);
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        connect(server.accept());
      } catch (IOException closed) {
        // by the test, or the target is not there; the loop's condition tells
      }
    }
  }

  private void connect(Socket client) throws IOException {
    sockets.add(client);
    if (cut) {
      close(client);
      return;
    }
    Socket database = new Socket(target.getHost(), target.getPort());
    sockets.add(database);
    if (cut) {
      close(client);
      close(database);
      return;
    }
    client.setTcpNoDelay(true);
    database.setTcpNoDelay(true);
    pump(client, database);
    pump(database, client);
  }

  private void pump(Socket from, Socket to) {
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                forward(from.getInputStream(), to.getOutputStream());
              } catch (IOException torn) {
                // then the other half goes as well
              } finally {
                close(from);
                close(to);
                sockets.remove(from);
                sockets.remove(to);
              }
            });
  }

  private void forward(InputStream from, OutputStream to) throws IOException {
    byte[] piece = new byte[16_384];
    for (int length = from.read(piece); length >= 0; length = from.read(piece)) {
      if (!swallowing) {
        to.write(piece, 0, length);
      }
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    sockets.forEach(DatabaseProxy::close);
  }
}
