package dev.seriatim.delivery;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A receiver on loopback that answers with whatever bytes a test wants, well-formed or not. Each
 * connection has a thread; what came in is kept.
 */
final class RawReceiver implements AutoCloseable {

  /** One request as it came in, headers by their lower-case name. */
  record Request(String line, Map<String, String> headers, byte[] body, int connection) {}

  /** Answers a request on its connection. An IOException ends the connection. */
  @FunctionalInterface
  interface Behaviour {
    void answer(Request request, Socket connection) throws Exception;
  }

  final List<Request> requests = new CopyOnWriteArrayList<>();
  private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
  private final ServerSocket server;
  private final Behaviour behaviour;

  RawReceiver(Behaviour behaviour) {
    this(listen(), behaviour);
  }

  RawReceiver(ServerSocket server, Behaviour behaviour) {
    this.server = server;
    this.behaviour = behaviour;
    Thread.ofPlatform().daemon().start(this::accept);
  }

  /** Always answers these characters, as Latin-1. */
  static RawReceiver answering(String answer) {
    return new RawReceiver((request, connection) -> write(connection, answer));
  }

  static void write(Socket connection, String text) throws IOException {
    OutputStream out = connection.getOutputStream();
    out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    out.flush();
  }

  static ServerSocket listen() {
    try {
      return new ServerSocket(0, 200, InetAddress.ofLiteral("127.0.0.1"));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  URI url(String path) {
    return URI.create("http://127.0.0.1:" + port() + path);
  }

  int port() {
    return server.getLocalPort();
  }

  private void accept() {
    int count = 0;
    while (!server.isClosed()) {
      try {
        Socket connection = server.accept();
        connections.add(connection);
        int number = ++count;
        Thread.ofPlatform().daemon().start(() -> serve(connection, number));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket connection, int number) {
    try (connection) {
      InputStream in = connection.getInputStream();
      for (Request request = read(in, number); request != null; request = read(in, number)) {
        requests.add(request);
        behaviour.answer(request, connection);
      }
    } catch (Exception ended) {
      // the test is about what the sender makes of it
    }
  }

  private static @Nullable Request read(InputStream in, int number) throws IOException {
    String line = line(in);
    if (line.isEmpty()) {
      return null;
    }
    Map<String, String> headers = new LinkedHashMap<>();
    for (String header = line(in); !header.isEmpty(); header = line(in)) {
      int colon = header.indexOf(':');
      headers.put(
          header.substring(0, colon).toLowerCase(Locale.ROOT), header.substring(colon + 1).strip());
    }
    int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
    return new Request(line, headers, in.readNBytes(length), number);
  }

  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = in.read(); b >= 0 && b != '\n'; b = in.read()) {
      if (b != '\r') {
        line.write(b);
      }
    }
    return line.toString(StandardCharsets.ISO_8859_1);
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket connection : connections) {
      connection.close();
    }
  }
}
