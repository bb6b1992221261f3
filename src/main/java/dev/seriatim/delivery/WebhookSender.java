package dev.seriatim.delivery;

import dev.seriatim.partition.MonotonicClock;
import dev.seriatim.queue.Exchange;
import dev.seriatim.queue.Verdict;
import dev.seriatim.queue.VerdictCode;
import dev.seriatim.subscription.TargetGuard;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import javax.net.ssl.SSLContext;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.EndpointDetails;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.io.CloseMode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes one attempt over HTTP: one POST, never redirected or repeated, over before its deadline
 * whatever the receiver does. Every address is vetted by the {@link TargetGuard} as it is dialled;
 * connections are kept alive and shared by all requests to an endpoint.
 *
 * <p>Concurrency: thread-safe. {@link #send} blocks and is made for virtual threads: only on those
 * does the platform let an interrupt break off a read, write or connect.
 */
final class WebhookSender implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(WebhookSender.class);

  private final int responseLimit;
  private final Clock clock;
  private final MonotonicClock monotonicClock;
  private final NameLookups lookups;
  private final DeadlineWatch deadlines;
  private final PoolingHttpClientConnectionManager connections;
  private final CloseableHttpClient client;

  /**
   * @param names the resolver; may block for as long as it likes
   * @param tls whom to trust
   */
  WebhookSender(
      SenderSettings settings,
      TargetGuard guard,
      NameLookups.Names names,
      SSLContext tls,
      Clock clock,
      MonotonicClock monotonicClock) {
    this.responseLimit = settings.responseBytes();
    this.clock = clock;
    this.monotonicClock = monotonicClock;
    this.lookups = new NameLookups(names);
    this.deadlines = new DeadlineWatch(monotonicClock);
    this.connections =
        HttpClients.connections(
            new GuardedResolver(lookups, guard, settings.connectTimeout(), monotonicClock),
            tls,
            settings.connectTimeout());
    this.client = HttpClients.client(connections);
  }

  /**
   * Sends and waits for the whole answer, at most until the deadline (and some 20 ms). Whatever a
   * receiver does is a verdict, never an exception.
   *
   * @param startNanos since when the deadline counts, on the monotonic clock: the caller's look at
   *     the lease comes after it
   * @param permit asked before each step on the network, up to the one that sends the request
   * @throws InterruptedException when the thread was interrupted before the answer was complete, a
   *     permit was revoked, or the sender was closed: no verdict. The connection is closed; whether
   *     the receiver got the request is unknown, unless it is a {@link NothingSentException}. An
   *     interrupt that comes later leaves the thread's flag set.
   */
  Exchange send(Webhook webhook, long startNanos, Permit permit) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new NothingSentException("interrupted before anything was sent");
    }
    HttpPost request = request(webhook);
    Flight flight =
        new Flight(request, startNanos + webhook.deadline().toNanos(), monotonicClock, permit);
    HttpClientContext context = HttpClientContext.create();
    Answer answer = new Answer();
    VerdictCode failure = null;
    permit.uses(request);
    deadlines.add(flight);
    try {
      ScopedValue.where(Flight.CURRENT, flight)
          .call(
              () -> {
                exchange(request, context, answer);
                return answer;
              });
    } catch (IOException | RuntimeException e) {
      failure = failureCode(e, webhook, flight, permit);
    } finally {
      deadlines.remove(flight);
    }
    return new Exchange(
        verdict(answer, failure),
        Duration.ofNanos(monotonicClock.nanos() - startNanos),
        address(flight, context),
        answer.location(),
        answer.headers(),
        answer.body());
  }

  private static HttpPost request(Webhook webhook) {
    HttpPost request = new HttpPost(webhook.url());
    webhook.headers().forEach(request::addHeader);
    request.setEntity(new ByteArrayEntity(webhook.body(), null));
    return request;
  }

  private void exchange(HttpPost request, HttpClientContext context, Answer answer)
      throws IOException {
    try {
      ClassicHttpResponse response = client.executeOpen(null, request, context);
      answer.head(response);
      // A body read to its end has given its connection back by now.
      answer.body(response.getEntity(), responseLimit);
    } finally {
      // Closes a connection that is still held, without reading what is left on it; else nothing.
      request.cancel();
    }
  }

  private VerdictCode failureCode(Exception failure, Webhook webhook, Flight flight, Permit permit)
      throws InterruptedException {
    if (Thread.interrupted() || permit.revoked() || connections.isClosed()) {
      String message = "broken off while " + flight.phase();
      InterruptedException interrupted =
          flight.written() ? new InterruptedException(message) : new NothingSentException(message);
      interrupted.initCause(failure);
      throw interrupted;
    }
    if (flight.expired() || flight.remaining(monotonicClock.nanos()) <= 0) {
      return VerdictCode.TIMEOUT;
    }
    if (failure instanceof RuntimeException) {
      log.atWarn()
          .addKeyValue("webhookId", webhook.headers().get("webhook-id"))
          .setCause(failure)
          .log("An answer made the HTTP client stumble; the attempt counts as failed");
    }
    return Verdicts.code(failure, flight.phase());
  }

  private Verdict verdict(Answer answer, @Nullable VerdictCode failure) {
    Integer status = answer.status();
    Instant now = clock.instant();
    if (failure != null) {
      return new Verdict.Failed(failure, status, answer.retryAfter(now));
    }
    if (status == null) {
      throw new IllegalStateException("an exchange without an answer must have failed");
    }
    return Verdicts.of(status, answer.retryAfter(now));
  }

  private static @Nullable String address(Flight flight, HttpClientContext context) {
    InetAddress dialled = flight.dialled();
    EndpointDetails endpoint = context.getEndpointDetails();
    if (dialled == null
        && endpoint != null
        && endpoint.getRemoteAddress() instanceof InetSocketAddress remote) {
      dialled = remote.getAddress();
    }
    return dialled == null ? null : dialled.getHostAddress();
  }

  /** Breaks off what is still under way. */
  @Override
  public void close() {
    client.close(CloseMode.IMMEDIATE);
    connections.close(CloseMode.IMMEDIATE);
    deadlines.close();
    lookups.close();
  }
}
