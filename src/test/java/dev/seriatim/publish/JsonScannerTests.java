package dev.seriatim.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

class JsonScannerTests {

  private static final JsonFactory JACKSON = new JsonFactory();

  private static final List<String> PIECES =
      List.of(
          "{",
          "}",
          "[",
          "]",
          ",",
          ":",
          "\"a\"",
          "\"\"",
          "\"",
          "\\",
          "\\u0041",
          "\\n",
          "\\x",
          "0",
          "1",
          "-",
          "+",
          ".",
          "e",
          "E5",
          "12.5e-3",
          "true",
          "false",
          "null",
          "nul",
          " ",
          "\n",
          "\t",
          "é",
          "😀",
          "\u0001",
          "\u007f",
          "'",
          "/",
          "#",
          "\"k\":1",
          "[1,{\"b\":[]}]");

  /** Jackson judges the same texts; what it cannot judge (see the scanner) is not generated. */
  @Test
  void acceptsExactlyWhatJacksonAccepts() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    int accepted = 0;
    for (int i = 0; i < 200_000; i++) {
      StringBuilder text = new StringBuilder();
      valueOrNot(random, text, 0);
      while (random.nextInt(3) == 0) {
        int at = random.nextInt(text.length() + 1);
        if (random.nextBoolean()) {
          text.insert(at, PIECES.get(random.nextInt(PIECES.size())));
        } else if (at < text.length()) {
          text.deleteCharAt(at);
        }
      }
      // Half a surrogate pair, if a deletion made one, becomes a question mark here.
      byte[] json = text.toString().getBytes(StandardCharsets.UTF_8);
      boolean expected = jacksonAccepts(json);
      assertThat(scannerAccepts(json)).as("seed %d: %s", seed, text).isEqualTo(expected);
      accepted += expected ? 1 : 0;
    }
    assertThat(accepted).as("seed %d", seed).isBetween(20_000, 180_000);
  }

  private static void valueOrNot(Random random, StringBuilder out, int depth) {
    switch (random.nextInt(depth > 4 ? 4 : 6)) {
      case 0 -> out.append(random.nextInt(100)).append(random.nextBoolean() ? "" : ".5E+1");
      case 1 -> out.append("\"x\\u00e9\\\"é\"");
      case 2 -> out.append(PIECES.get(random.nextInt(PIECES.size())));
      case 3 -> out.append(random.nextBoolean() ? "true" : "null");
      case 4 -> {
        out.append("[ ");
        for (int i = random.nextInt(3); i >= 0; i--) {
          valueOrNot(random, out, depth + 1);
          out.append(i == 0 ? "" : ",");
        }
        out.append("]");
      }
      default -> {
        out.append("{");
        for (int i = random.nextInt(3); i >= 0; i--) {
          out.append("\"k\" :");
          valueOrNot(random, out, depth + 1);
          out.append(i == 0 ? "" : " ,");
        }
        out.append("}");
      }
    }
  }

  private static boolean jacksonAccepts(byte[] json) {
    try (JsonParser parser = JACKSON.createParser(ObjectReadContext.empty(), json)) {
      if (parser.nextToken() == null) {
        return false;
      }
      parser.skipChildren();
      parser.finishToken();
      return parser.nextToken() == null;
    } catch (JacksonException e) {
      return false;
    }
  }

  private static boolean scannerAccepts(byte[] json) {
    try {
      JsonScanner scanner = new JsonScanner(Slice.of(json), Json.MAX_DEPTH);
      scanner.value();
      return scanner.atEnd();
    } catch (MalformedJsonException e) {
      return false;
    }
  }

  @Test
  void saysWhereItWentWrong() {
    assertThatExceptionOfType(MalformedJsonException.class)
        .isThrownBy(() -> scan("{\"a\": [1,\n \"é\" x]}"))
        .withMessage("is not valid JSON: at line 2, column 6 there should be a comma or ']'");
    assertThatExceptionOfType(MalformedJsonException.class)
        .isThrownBy(() -> scan("[\"a"))
        .withMessageContaining("ends at line 1, column 4")
        .withMessageContaining("closing double quote");
  }

  @Test
  void readsNothingBeyondItsSlice() {
    byte[] bytes = "xx[12]34".getBytes(StandardCharsets.UTF_8);
    JsonScanner scanner = new JsonScanner(new Slice(bytes, 3, 5), 1);
    assertThat(scanner.value().text()).isEqualTo("12");
    assertThat(scanner.atEnd()).isTrue();
  }

  private static void scan(String json) {
    new JsonScanner(Slice.of(json.getBytes(StandardCharsets.UTF_8)), Json.MAX_DEPTH).value();
  }
}
