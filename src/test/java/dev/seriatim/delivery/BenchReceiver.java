package dev.seriatim.delivery;

import java.io.IOException;
import java.net.URI;
import java.util.List;

/** Answers every request with 200, as fast as it can, and remembers in which order they came. */
interface BenchReceiver extends AutoCloseable {

  /** One request: the path, and what the headers say of its place. */
  record Arrival(String path, String key, long sequence) {}

  static BenchReceiver start() throws IOException {
    return NginxReceiver.installed() ? new NginxReceiver() : new BuiltInReceiver();
  }

  /** For the table. */
  String name();

  URI url(String path);

  /** Stops it. @return all requests in the order they came */
  List<Arrival> stop() throws IOException;

  @Override
  void close() throws IOException;
}
