package dev.seriatim.delivery;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.springframework.util.FileSystemUtils;

/** An nginx of the benchmark's own, one worker, on a free loopback port. */
final class NginxReceiver implements BenchReceiver {

  private static final Path PROGRAM = Path.of("/usr/sbin/nginx");

  // One worker, so that the log is one order. It is written in large pieces: a request costs it a
  // microsecond, in the ceiling as in the drain.
  private static final String CONFIGURATION =
      """
      daemon off;
      worker_processes 1;
      pid nginx.pid;
      error_log error.log;
      events { worker_connections 4096; }
      http {
        log_format place '$uri $http_seriatim_key $http_seriatim_sequence';
        access_log arrivals.log place buffer=256k;
        keepalive_requests 1000000000;
        keepalive_timeout 60s;
        client_body_temp_path body;
        proxy_temp_path proxy;
        fastcgi_temp_path fastcgi;
        uwsgi_temp_path uwsgi;
        scgi_temp_path scgi;
        server {
          listen 127.0.0.1:%d backlog=4096;
          location / { return 200; }
        }
      }
      """;

  private final Path folder = Files.createTempDirectory("seriatim-nginx");
  private final int port;
  private final Process process;

  NginxReceiver() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    Path configuration =
        Files.writeString(folder.resolve("nginx.conf"), CONFIGURATION.formatted(port));
    process =
        new ProcessBuilder(PROGRAM.toString(), "-p", folder + "/", "-c", configuration.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("output.log").toFile())
            .start();
    for (int tries = 0; !answers(); tries++) {
      if (!process.isAlive() || tries == 1000) {
        throw new IllegalStateException(
            "nginx did not start: "
                + Files.readString(folder.resolve("output.log"))
                + Files.readString(folder.resolve("error.log")));
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }

  static boolean installed() {
    return Files.isExecutable(PROGRAM);
  }

  private boolean answers() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException notYet) {
      return false;
    }
  }

  @Override
  public String name() {
    return "nginx, one worker, `return 200`";
  }

  @Override
  public URI url(String path) {
    return URI.create("http://127.0.0.1:" + port + path);
  }

  @Override
  public List<Arrival> stop() throws IOException {
    end();
    try (Stream<String> lines = Files.lines(folder.resolve("arrivals.log"))) {
      return lines
          .map(line -> line.split(" "))
          .filter(parts -> parts.length == 3 && !parts[2].equals("-"))
          .map(parts -> new Arrival(parts[0], parts[1], Long.parseLong(parts[2])))
          .toList();
    }
  }

  @Override
  public void close() throws IOException {
    end();
    FileSystemUtils.deleteRecursively(folder);
  }

  /** Waits for it: only then is the whole log on disk. */
  private void end() {
    process.destroy();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
