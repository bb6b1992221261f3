package dev.seriatim.development;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What an earlier run of the embedded database left behind when it was killed. */
final class StaleServer {

  private static final long STOP_LIMIT_SECONDS = 30;

  private StaleServer() {}

  /**
   * Makes way for a new server on the same data: stops the one that goes on though the process that
   * started it is gone, and removes the mark of one that died.
   *
   * @throws MissingDatabaseException when a living run uses the data
   */
  static void stop(Path data) throws IOException {
    Path mark = data.resolve("postmaster.pid");
    if (Files.notExists(mark)) {
      return;
    }
    refuseDataInUse(data);
    Optional<ProcessHandle> server = process(mark);
    if (server.isPresent()) {
      shutDown(server.get());
    } else {
      // PostgreSQL would take any process that has this number by now for a running server.
      Files.deleteIfExists(mark);
    }
  }

  private static void refuseDataInUse(Path data) throws IOException {
    // Held by the process that started the server, for as long as it lives.
    Path lockFile = data.resolve("epg-lock");
    try (FileChannel channel =
            FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock()) {
      if (lock == null) {
        throw inUse(data);
      }
    } catch (OverlappingFileLockException _) {
      throw inUse(data);
    }
  }

  private static MissingDatabaseException inUse(Path data) {
    return new MissingDatabaseException(
        ("The embedded PostgreSQL in %s is in use by another run of Seriatim: stop that one, or set"
                + " spring.datasource.url to a database of your own.")
            .formatted(data));
  }

  /** The process whose number the file's first line has, if that is still a PostgreSQL. */
  private static Optional<ProcessHandle> process(Path mark) throws IOException {
    long pid = Long.parseLong(Files.readAllLines(mark).getFirst().strip());
    return ProcessHandle.of(pid)
        .filter(process -> process.info().command().orElse("").endsWith("postgres"));
  }

  private static void shutDown(ProcessHandle server) throws IOException {
    // SIGINT ends its sessions and flushes; SIGTERM, the only signal the JDK sends, would wait
    // for every client to leave.
    new ProcessBuilder("sh", "-c", "kill -INT " + server.pid()).inheritIO().start();
    try {
      server.onExit().get(STOP_LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while waiting for process " + server.pid(), e);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException(
          "The PostgreSQL of an earlier run, process %d, does not stop".formatted(server.pid()), e);
    }
  }
}
