package dev.seriatim.subscription;

import java.net.Inet4Address;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * A block of addresses as operators write it: {@code 10.0.0.0/8}, {@code fd00::/8}, or one address.
 *
 * @param network its first address
 * @param prefix how many leading bits are fixed, 0 to 32 or 0 to 128
 */
public record Cidr(InetAddress network, int prefix) {

  /**
   * @throws IllegalArgumentException when the prefix is too long or the address is not the first
   *     one of the block
   */
  public Cidr {
    int width = network.getAddress().length * Byte.SIZE;
    if (prefix < 0 || prefix > width) {
      throw new IllegalArgumentException(
          "the prefix of %s must be from 0 to %d, not %d"
              .formatted(network.getHostAddress(), width, prefix));
    }
    byte[] address = network.getAddress();
    for (int bit = prefix; bit < width; bit++) {
      if ((address[bit / Byte.SIZE] & (0x80 >>> bit % Byte.SIZE)) != 0) {
        throw new IllegalArgumentException(
            "%s/%d has bits set behind its prefix; one address alone is written without a prefix"
                .formatted(network.getHostAddress(), prefix));
      }
    }
  }

  /**
   * Reads {@code address/prefix} or a lone address; also what Spring converts settings with. Never
   * asks the DNS.
   *
   * @throws IllegalArgumentException with a sentence that says what would be right
   */
  public static Cidr valueOf(String text) {
    int slash = text.indexOf('/');
    InetAddress network = literal(slash < 0 ? text : text.substring(0, slash), text);
    if (slash < 0) {
      return new Cidr(network, network.getAddress().length * Byte.SIZE);
    }
    try {
      return new Cidr(network, Integer.parseInt(text.substring(slash + 1)));
    } catch (NumberFormatException notANumber) {
      throw notACidr(text, notANumber);
    }
  }

  private static InetAddress literal(String address, String text) {
    InetAddress parsed;
    try {
      parsed = InetAddress.ofLiteral(address);
    } catch (IllegalArgumentException notAnAddress) {
      throw notACidr(text, notAnAddress);
    }
    // The JDK also reads 10.0.1 (as 10.0.0.1) and ::ffff:10.0.0.1 (as IPv4, with another prefix).
    if (parsed instanceof Inet4Address && !parsed.getHostAddress().equals(address)) {
      throw notACidr(text, null);
    }
    return parsed;
  }

  private static IllegalArgumentException notACidr(
      String text, @Nullable IllegalArgumentException cause) {
    return new IllegalArgumentException(
        "'%s' is not a block of addresses; write one as 10.0.0.0/8 or fd00::/8".formatted(text),
        cause);
  }

  /** Whether the address lies in it; one of the other IP version never does. */
  public boolean contains(InetAddress address) {
    byte[] candidate = address.getAddress();
    byte[] first = network.getAddress();
    if (candidate.length != first.length) {
      return false;
    }
    int whole = prefix / Byte.SIZE;
    for (int i = 0; i < whole; i++) {
      if (candidate[i] != first[i]) {
        return false;
      }
    }
    int rest = prefix % Byte.SIZE;
    return rest == 0 || ((candidate[whole] ^ first[whole]) & 0xff) >>> (Byte.SIZE - rest) == 0;
  }

  @Override
  public String toString() {
    return network.getHostAddress() + "/" + prefix;
  }
}
