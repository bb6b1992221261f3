package dev.seriatim.delivery;

import dev.seriatim.queue.Delivery;
import dev.seriatim.queue.DeliveryContent;
import dev.seriatim.queue.Replay;
import dev.seriatim.queue.TraceContext;
import dev.seriatim.subscription.Subscription;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes the request that a receiver gets of a delivery. Pure: the same arguments make the same
 * request, so that a retry differs in its attempt, timestamp and signatures only.
 */
final class WebhookComposer {

  private static final String USER_AGENT = userAgent();

  private WebhookComposer() {}

  /**
   * @param attempt which one this is, from 1
   * @param now the time that is signed, as unix seconds; receivers refuse old ones
   * @param trace what the receiver is to continue, null for none
   */
  static Webhook compose(
      Subscription subscription,
      Delivery delivery,
      DeliveryContent content,
      int attempt,
      Instant now,
      @Nullable TraceContext trace) {
    String id = webhookId(content.eventId(), subscription.id());
    if (delivery.replay() == Replay.NEW) {
      id += "~" + delivery.id(); // a receiver that drops what it knows by its id must not drop it
    }
    long timestamp = now.getEpochSecond();
    Map<String, String> ours = new LinkedHashMap<>();
    ours.put("Content-Type", content.contentType());
    ours.put("webhook-id", id);
    ours.put("webhook-timestamp", Long.toString(timestamp));
    ours.put(
        "webhook-signature",
        WebhookSigner.sign(subscription.secrets(), id, timestamp, content.payload()));
    ours.put("seriatim-event-id", PercentEncoding.VISIBLE.encode(content.eventId()));
    ours.put("seriatim-event-type", PercentEncoding.VISIBLE.encode(content.type()));
    ours.put("seriatim-attempt", Integer.toString(attempt));
    if (delivery.replay() != null) {
      ours.put("seriatim-replay", "true");
    }
    if (trace != null) {
      ours.put(TraceContext.TRACEPARENT, trace.traceparent());
      if (trace.tracestate() != null) {
        ours.put(TraceContext.TRACESTATE, trace.tracestate());
      }
    }
    String key = content.key();
    if (delivery.ordered() && key != null) {
      String sent = PercentEncoding.UNRESERVED.encode(key);
      ours.put("seriatim-key", sent);
      ours.put("seriatim-sequence", Long.toString(delivery.sequence()));
      ours.put(
          "seriatim-order-signature",
          WebhookSigner.signOrder(
              subscription.secrets(), id, timestamp, sent, delivery.sequence()));
    }
    return new Webhook(
        subscription.url(),
        withCustom(subscription.headers(), ours),
        content.payload(),
        subscription.timeout());
  }

  /**
   * Constant over the retries and original replays of an event for one subscription, different for
   * any two of them, and without the {@code .} that separates the parts of what is signed.
   */
  static String webhookId(String eventId, String subscriptionId) {
    return PercentEncoding.ID.encode(eventId) + "~" + PercentEncoding.ID.encode(subscriptionId);
  }

  /**
   * The subscription's headers first, then ours. Those that clash were refused when they were
   * given; here they are left out, whatever their case, so that none can ever stand in for ours.
   */
  private static Map<String, String> withCustom(
      Map<String, String> custom, Map<String, String> ours) {
    if (custom.isEmpty()) {
      ours.put("User-Agent", USER_AGENT);
      return ours;
    }
    Map<String, String> all = new LinkedHashMap<>();
    boolean ownAgent = false;
    for (Map.Entry<String, String> header : custom.entrySet()) {
      String name = header.getKey().toLowerCase(Locale.ROOT);
      ownAgent |= name.equals("user-agent");
      if (!reserved(name)) {
        all.put(header.getKey(), header.getValue());
      }
    }
    all.putAll(ours);
    if (!ownAgent) {
      all.put("User-Agent", USER_AGENT);
    }
    return all;
  }

  /** Ours, and those by which HTTP frames and routes a message (RFC 9110, section 7.6.1). */
  private static boolean reserved(String name) {
    return name.startsWith("webhook-")
        || name.startsWith("seriatim-")
        || switch (name) {
          case "content-type",
              "content-length",
              "transfer-encoding",
              "host",
              "connection",
              "keep-alive",
              "te",
              "trailer",
              "upgrade",
              "expect",
              "proxy-connection",
              TraceContext.TRACEPARENT,
              TraceContext.TRACESTATE ->
              true;
          default -> false;
        };
  }

  private static String userAgent() {
    @Nullable String version = WebhookComposer.class.getPackage().getImplementationVersion();
    return version == null ? "Seriatim" : "Seriatim/" + version;
  }
}
