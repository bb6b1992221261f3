import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
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

  /** Last sequence per key. A real receiver keeps it where it keeps the effect, in one transaction. */
  private final Map<String, Long> last = new ConcurrentHashMap<>();

  Receiver(String secret) {
    this.secret = secret;
    this.webhook = new Webhook(secret);
  }

  public static void main(String[] arguments) throws IOException {
    Receiver receiver = new Receiver(arguments[0]);
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 9000), 0);
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
    String signed =
        String.join(
            ".",
            headers.getFirst("webhook-id"), headers.getFirst("webhook-timestamp"), key, number);
    if (!anyMatches(headers.getFirst("seriatim-order-signature"), hmac(signed))) {
      throw new GeneralSecurityException("the order is not signed with this secret");
    }
    long sequence = Long.parseLong(number);
    long before = last.getOrDefault(key, 0L);
    if (status == 204) {
      last.merge(key, sequence, Math::max);
    }
    String place = key + " " + sequence;
    if (sequence <= before) {
      return place + " (a repeat: nothing to do)";
    }
    return sequence == before + 1 || before == 0
        ? place
        : place + " (after " + before + ": what is missing is in the dead letters)";
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
