import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A receiver to try Seriatim with, and an example of what a receiver checks. It listens on port 9000
 * of this machine and prints what it gets; a path that begins with /fail it answers with 500. The
 * only argument is the subscription's secret. README.md has the command that runs it.
 */
public class Receiver {

  private final String secret;
  private final Webhook webhook;

  /** Per key. A real receiver keeps it where it keeps the effect, in one transaction. */
  private final Map<String, Last> lasts = new ConcurrentHashMap<>();

  /**
   * @param sequence the last one
   * @param first webhook-id of sequence 1, empty when it did not come here: another one means that
   *     the key starts anew
   */
  private record Last(long sequence, String first) {}

  Receiver(String secret) {
    this.secret = secret;
    this.webhook = new Webhook(secret);
  }

  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 1) {
      System.err.println("The one argument is the subscription's secret: Receiver.java whsec_…");
      System.exit(2);
    }
    Receiver receiver = new Receiver(arguments[0]);
    HttpServer server;
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 9000), 0);
    } catch (BindException taken) {
      System.err.println("Cannot listen on port 9000, another program does: " + taken.getMessage());
      System.exit(1);
      return;
    }
    server.createContext("/", receiver::receive);
    server.start();
    System.out.println("Listening on http://127.0.0.1:9000/");
  }

  private void receive(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    Headers headers = exchange.getRequestHeaders();
    int status;
    try {
      webhook.verify(body, HttpHeaders.of(headers, (name, value) -> true));
      status = exchange.getRequestURI().getPath().startsWith("/fail") ? 500 : 204;
      System.out.println(
          "%s %s, attempt %s, answered %d: %s"
              .formatted(
                  headers.getFirst("seriatim-event-type"),
                  order(headers, status),
                  headers.getFirst("seriatim-attempt"),
                  status,
                  body));
    } catch (WebhookVerificationException | GeneralSecurityException forged) {
      status = 401;
      System.out.println("Not from Seriatim: " + forged.getMessage());
    }
    exchange.sendResponseHeaders(status, -1);
    exchange.close();
  }

  /** Where the webhook stands in its key's order. Absent headers: its subscription has no order. */
  private String order(Headers headers, int status) throws GeneralSecurityException {
    String key = headers.getFirst("seriatim-key");
    if (key == null) {
      return "without order";
    }
    String number = headers.getFirst("seriatim-sequence");
    String id = headers.getFirst("webhook-id");
    String signed = String.join(".", id, headers.getFirst("webhook-timestamp"), key, number);
    if (!anyMatches(headers.getFirst("seriatim-order-signature"), hmac(signed))) {
      throw new GeneralSecurityException("the order is not signed with this secret");
    }
    long sequence = Long.parseLong(number);
    String place = key + " " + sequence;
    Last last = lasts.get(key);
    if ("true".equals(headers.getFirst("seriatim-replay"))
        && last != null
        && sequence <= last.sequence()) {
      return place + " (sent again by an operator: apply it unless its id was applied before)";
    }
    boolean anew = last != null && sequence == 1 && !id.equals(last.first());
    if (last != null && sequence <= last.sequence() && !anew) {
      return place + " (a repeat: nothing to do)";
    }
    if (status == 204) {
      String first = sequence == 1 ? id : last == null ? "" : last.first();
      lasts.put(key, new Last(sequence, first));
    }
    if (anew) {
      return place + " (a new start: the subscription was deleted and created again)";
    }
    return last == null || sequence == last.sequence() + 1
        ? place
        : place + " (after " + last.sequence() + ": what is missing is in the dead letters)";
  }

  /** One signature per active secret, separated by spaces: one that is right is enough. */
  private static boolean anyMatches(String signatures, String expected) {
    boolean found = false;
    for (String signature : signatures.split(" ")) {
      found |= MessageDigest.isEqual(signature.getBytes(), expected.getBytes());
    }
    return found;
  }

  private String hmac(String text) throws GeneralSecurityException {
    byte[] key = Base64.getDecoder().decode(secret.substring("whsec_".length()));
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    return "v1,"
        + Base64.getEncoder().encodeToString(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
  }
}
