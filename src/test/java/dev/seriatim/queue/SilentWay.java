package dev.seriatim.queue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A detour to PostgreSQL on which connections can fall silent, as when a firewall forgets them:
 * they stay open, and nothing passes any more.
 */
final class SilentWay implements AutoCloseable {

  private final ServerSocket server = new ServerSocket(0, 50, InetAddress.ofLiteral("127.0.0.1"));
  private final Set<Socket> passing = ConcurrentHashMap.newKeySet();
  private final Set<Socket> all = ConcurrentHashMap.newKeySet();
  private final URI target;

  /**
   * @param url JDBC URL of a database
   */
  SilentWay(String url) throws IOException {
    this.target = URI.create(url.substring("jdbc:".length()));
    Thread.ofVirtual().name("silent-way").start(this::accept);
  }

  /** The way to the same database through here. */
  String url() {
    return "jdbc:postgresql://127.0.0.1:%d%s".formatted(server.getLocalPort(), target.getPath());
  }

  /** What is connected now hears nothing more; later connections are not concerned. */
  void fallSilent() {
    passing.clear();
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket client = server.accept();
        Socket database = new Socket(target.getHost(), target.getPort());
        for (Socket socket : new Socket[] {client, database}) {
          socket.setTcpNoDelay(true);
          passing.add(socket);
          all.add(socket);
        }
        pump(client, database);
        pump(database, client);
      } catch (IOException closed) {
        // the loop's condition tells
      }
    }
  }

  private void pump(Socket from, Socket to) {
    Thread.ofVirtual()
        .start(
            () -> {
              byte[] buffer = new byte[8192];
              try (from;
                  to) {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                  if (passing.contains(from)) {
                    out.write(buffer, 0, read);
                  }
                }
              } catch (IOException torn) {
                // then the other half goes as well
              }
            });
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket socket : all) {
      socket.close();
    }
  }
}
