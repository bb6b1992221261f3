package dev.seriatim.delivery;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * Percent-encoding (RFC 3986, section 2.1) of UTF-8, by what may stay as it is. The percent sign
 * never stays, so that no two texts are written alike.
 */
enum PercentEncoding {
  /** Letters, digits, {@code -} and {@code _}: for the parts of a {@code webhook-id}. */
  ID {
    @Override
    boolean keeps(char c) {
      return letterOrDigit(c) || c == '-' || c == '_';
    }
  },
  /** RFC 3986, section 2.3, unreserved: for ordering keys. */
  UNRESERVED {
    @Override
    boolean keeps(char c) {
      return ID.keeps(c) || c == '.' || c == '~';
    }
  },
  /** Visible ASCII: for names as header values. */
  VISIBLE {
    @Override
    boolean keeps(char c) {
      return c > ' ' && c < 0x7f && c != '%';
    }
  };

  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  abstract boolean keeps(char c);

  String encode(String text) {
    int plain = 0;
    while (plain < text.length() && keeps(text.charAt(plain))) {
      plain++;
    }
    if (plain == text.length()) {
      return text;
    }
    StringBuilder encoded = new StringBuilder(text.length() + 16).append(text, 0, plain);
    for (byte b : text.substring(plain).getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (b & 0xff);
      if (c < 0x80 && keeps(c)) {
        encoded.append(c);
      } else {
        encoded.append('%').append(HEX.toHexDigits(b));
      }
    }
    return encoded.toString();
  }

  private static boolean letterOrDigit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }
}
