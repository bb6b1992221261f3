package dev.seriatim.operations;

import dev.seriatim.api.ProblemException;
import dev.seriatim.api.ProblemType;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Sends the overview to whoever listens, as server-sent events (WHATWG HTML, 9.2), each time that
 * there is a new sample. Everybody gets the same samples, and nobody waits for another.
 *
 * <p>Concurrency: each listener has the thread of its request, which rests between two looks. A
 * stop ends all of them, before the web server waits for its requests: the phase is higher.
 */
@Component
class ConsoleFeed implements SmartLifecycle {

  /** Many windows, and few enough that their threads and bytes do not matter. */
  static final int MOST_LISTENERS = 50;

  private static final long LOOK_EVERY_SECONDS = 1;

  /** A proxy between must not take silence for the end; and a client that went is noticed. */
  private static final byte[] HEARTBEAT = ": still here\n\n".getBytes(StandardCharsets.UTF_8);

  private static final Logger log = LoggerFactory.getLogger(ConsoleFeed.class);

  private final OverviewSampler sampler;
  private final JsonMapper mapper;
  private final Semaphore places = new Semaphore(MOST_LISTENERS);
  private volatile CountDownLatch stopped = new CountDownLatch(0);

  ConsoleFeed(OverviewSampler sampler, JsonMapper mapper) {
    this.sampler = sampler;
    this.mapper = mapper;
  }

  /**
   * Returns when the listener has gone or the service stops.
   *
   * @throws ProblemException (429) when there are too many
   */
  void listen(Opening opening) {
    if (!places.tryAcquire()) {
      throw new ProblemException(
          ProblemType.TOO_MANY_REQUESTS,
          "%d listeners have the overview sent to them already: ask for /console/api/overview from time to time instead"
              .formatted(MOST_LISTENERS));
    }
    try {
      send(opening.open());
    } catch (IOException gone) {
      log.debug("A listener to the overview has gone", gone);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      places.release();
    }
  }

  /** Begins the answer: not before it is sure that there will be one. */
  @FunctionalInterface
  interface Opening {
    OutputStream open() throws IOException;
  }

  private void send(OutputStream out) throws IOException, InterruptedException {
    CountDownLatch end = stopped;
    Instant sent = null;
    do {
      sent = sendNext(out, sent);
      out.flush();
    } while (!end.await(LOOK_EVERY_SECONDS, TimeUnit.SECONDS));
  }

  private @Nullable Instant sendNext(OutputStream out, @Nullable Instant sent) throws IOException {
    Overview overview;
    try {
      overview = sampler.sample();
    } catch (DataAccessException | TransactionException away) {
      log.debug("No sample for those who listen to the overview", away);
      out.write(event("outage", "{}"));
      return sent;
    }
    Instant at = overview.lag().sampledAt();
    if (!at.equals(sent)) {
      out.write(event("overview", mapper.writeValueAsString(overview)));
    } else if (sampler.isOld()) {
      out.write(event("outage", "{}"));
    } else {
      out.write(HEARTBEAT);
    }
    return at;
  }

  private static byte[] event(String name, String json) {
    return "event: %s\ndata: %s\n\n".formatted(name, json).getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void start() {
    stopped = new CountDownLatch(1);
  }

  @Override
  public void stop() {
    stopped.countDown();
  }

  @Override
  public boolean isRunning() {
    return stopped.getCount() > 0;
  }
}
