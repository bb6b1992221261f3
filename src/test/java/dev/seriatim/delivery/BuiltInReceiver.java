package dev.seriatim.delivery;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executors;

/** Where there is no nginx: in the benchmark's own process, which it takes time from. */
final class BuiltInReceiver implements BenchReceiver {

  private final List<Arrival> arrivals = Collections.synchronizedList(new ArrayList<>());
  private final HttpServer server =
      HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 4096);

  BuiltInReceiver() throws IOException {
    server.createContext("/", this::answer);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.start();
  }

  private void answer(HttpExchange exchange) throws IOException {
    exchange.getRequestBody().readAllBytes();
    String sequence = exchange.getRequestHeaders().getFirst("seriatim-sequence");
    if (sequence != null) {
      arrivals.add(
          new Arrival(
              exchange.getRequestURI().getPath(),
              exchange.getRequestHeaders().getFirst("seriatim-key"),
              Long.parseLong(sequence)));
    }
    exchange.sendResponseHeaders(200, -1);
    exchange.close();
  }

  @Override
  public String name() {
    return "built-in receiver in the same process (no nginx installed)";
  }

  @Override
  public URI url(String path) {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
  }

  @Override
  public List<Arrival> stop() {
    server.stop(0);
    return List.copyOf(arrivals);
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
