package dev.seriatim.delivery;

import dev.seriatim.partition.MonotonicClock;
import dev.seriatim.queue.Exchange;
import dev.seriatim.subscription.Cidr;
import dev.seriatim.subscription.TargetGuard;
import dev.seriatim.subscription.TargetSettings;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.springframework.util.unit.DataSize;

/** A sender that may reach loopback, and waits that end loudly. */
final class SenderHarness implements AutoCloseable {

  static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  /** Far beyond anything a test waits for, so that a slow machine fails no test. */
  static final Duration PATIENCE = Duration.ofSeconds(60);

  static final byte[] BODY = "{\"n\":1}".getBytes(StandardCharsets.UTF_8);

  final WebhookSender sender;

  private SenderHarness(WebhookSender sender) {
    this.sender = sender;
  }

  static SenderHarness local() {
    return with(settings(), loopback(), InetAddress::getAllByName);
  }

  static SenderHarness with(SenderSettings settings, TargetGuard guard, NameLookups.Names names) {
    try {
      return with(settings, guard, names, SSLContext.getDefault());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  static SenderHarness with(
      SenderSettings settings, TargetGuard guard, NameLookups.Names names, SSLContext tls) {
    return new SenderHarness(
        new WebhookSender(
            settings, guard, names, tls, Clock.fixed(NOW, ZoneOffset.UTC), System::nanoTime));
  }

  /** On a clock of the test's own. */
  static SenderHarness on(MonotonicClock clock, NameLookups.Names names)
      throws NoSuchAlgorithmException {
    return new SenderHarness(
        new WebhookSender(
            settings(),
            loopback(),
            names,
            SSLContext.getDefault(),
            Clock.fixed(NOW, ZoneOffset.UTC),
            clock));
  }

  static SenderSettings settings() {
    return new SenderSettings(Duration.ofSeconds(30), DataSize.ofKilobytes(16));
  }

  static TargetGuard loopback() {
    return new TargetGuard(
        new TargetSettings(
            List.of(Cidr.valueOf("127.0.0.0/8"), Cidr.valueOf("::1/128")), List.of(), false));
  }

  static Webhook webhook(URI url) {
    return webhook(url, PATIENCE);
  }

  static Webhook webhook(URI url, Duration deadline) {
    return new Webhook(url, Map.of("Content-Type", "application/json"), BODY, deadline);
  }

  Exchange send(URI url) {
    return send(webhook(url));
  }

  Exchange send(Webhook webhook) {
    return await(start(webhook));
  }

  CompletableFuture<Exchange> start(Webhook webhook) {
    CompletableFuture<Exchange> result = new CompletableFuture<>();
    startThread(webhook, result);
    return result;
  }

  Thread startThread(Webhook webhook, CompletableFuture<Exchange> result) {
    return Thread.ofVirtual()
        .start(
            () -> {
              try {
                result.complete(sender.send(webhook, System.nanoTime(), new Permit(() -> true)));
              } catch (Throwable e) {
                result.completeExceptionally(e);
              }
            });
  }

  static <T> T await(CompletableFuture<T> future) {
    return future.orTimeout(PATIENCE.toSeconds() * 2, TimeUnit.SECONDS).join();
  }

  @Override
  public void close() {
    sender.close();
  }
}
