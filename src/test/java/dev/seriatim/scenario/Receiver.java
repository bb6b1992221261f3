package dev.seriatim.scenario;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * A real HTTP receiver on loopback that remembers every request: when it came relative to the
 * others, when it was answered, and all that was in it. Answers 200 unless told otherwise.
 *
 * <p>Concurrency: a virtual thread per connection; the log is guarded by {@code lock}.
 */
final class Receiver implements AutoCloseable {

  private final ServerSocket server;
  private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
  private final Map<String, Behaviour> behaviours = new ConcurrentHashMap<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final List<Received> log = new ArrayList<>();
  private long tick;
  private int acknowledged;

  Receiver() {
    try {
      this.server = new ServerSocket(0, 500, InetAddress.ofLiteral("127.0.0.1"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread.ofVirtual().name("receiver").start(this::accept);
  }

  String url(String path) {
    return "http://127.0.0.1:" + server.getLocalPort() + path;
  }

  /** How requests to a path are answered from now on. */
  Receiver on(String path, Behaviour behaviour) {
    behaviours.put(path, behaviour);
    return this;
  }

  /** All requests so far, in the order they came in. */
  List<Received> log() {
    lock.lock();
    try {
      return List.copyOf(log);
    } finally {
      lock.unlock();
    }
  }

  /** Takes them out of the log, so that a long run keeps only what it has not looked at. */
  List<Received> drainLog() {
    lock.lock();
    try {
      List<Received> all = List.copyOf(log);
      log.clear();
      return all;
    } finally {
      lock.unlock();
    }
  }

  int acknowledged() {
    lock.lock();
    try {
      return acknowledged;
    } finally {
      lock.unlock();
    }
  }

  List<Received> log(Predicate<Received> which) {
    return log().stream().filter(which).toList();
  }

  /** Waits until this many requests were answered 2xx. */
  void awaitAcknowledged(int count) {
    await(count + " acknowledged requests", () -> acknowledged >= count);
  }

  /** Waits until this many requests that fit have come in, answered or not. */
  void awaitArrived(int count, String what, Predicate<Received> which) {
    await(count + " x " + what, () -> log.stream().filter(which).count() >= count);
  }

  private void await(String what, java.util.function.BooleanSupplier condition) {
    lock.lock();
    try {
      long left = Patience.NANOS;
      while (!condition.getAsBoolean()) {
        if (left <= 0) {
          throw new AssertionError(
              "Did not come within a minute: %s. %d requests came, %d acknowledged, the last: %s"
                  .formatted(
                      what,
                      log.size(),
                      acknowledged,
                      log.subList(Math.max(0, log.size() - 10), log.size())));
        }
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } finally {
      lock.unlock();
    }
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket connection = server.accept();
        connections.add(connection);
        Thread.ofVirtual().name("receiver-connection").start(() -> serve(connection));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket connection) {
    try (connection) {
      connection.setTcpNoDelay(true);
      InputStream in = new BufferedInputStream(connection.getInputStream());
      while (true) {
        Received request = read(in);
        Reply reply =
            behaviours.getOrDefault(request.path(), Behaviour.always(200)).answer(request);
        completed(request, reply.status());
        connection.getOutputStream().write(reply.bytes());
        connection.getOutputStream().flush();
      }
    } catch (IOException | InterruptedException ended) {
      // The other side is gone, as it is when it cuts an answer or the test is over.
    } finally {
      connections.remove(connection);
    }
  }

  /**
   * @throws EOFException at the end of the connection; a request cut short by it never was one
   */
  private Received read(InputStream in) throws IOException {
    String line = line(in);
    Map<String, String> headers = new HashMap<>();
    for (String header = line(in); !header.isEmpty(); header = line(in)) {
      int colon = header.indexOf(':');
      headers.put(
          header.substring(0, colon).toLowerCase(Locale.ROOT), header.substring(colon + 1).strip());
    }
    int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
    byte[] body = in.readNBytes(length);
    if (body.length < length) {
      throw new EOFException();
    }
    return arrived(line.split(" ", 3)[1], headers, body);
  }

  private Received arrived(String path, Map<String, String> headers, byte[] body) {
    lock.lock();
    try {
      Received request = new Received(path, headers, body, ++tick);
      log.add(request);
      changed.signalAll();
      return request;
    } finally {
      lock.unlock();
    }
  }

  private void completed(Received request, int status) {
    lock.lock();
    try {
      request.completed(++tick, status);
      if (request.acknowledged()) {
        acknowledged++;
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new EOFException();
      }
      if (b != '\r') {
        line.write(b);
      }
    }
    return line.toString(StandardCharsets.ISO_8859_1);
  }

  @Override
  public void close() {
    try {
      server.close();
      for (Socket connection : connections) {
        connection.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
