package dev.seriatim.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.seriatim.api.ProblemException;
import dev.seriatim.api.ProblemType;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BatchReaderTests {

  @Test
  void elementsOfAnArrayAreFoundAsTheyCame() {
    assertThat(elements("[ {\"a\" : 1.0} ,\n7,\"]\",[ ],null , -0.0 ]\n"))
        .containsExactly("{\"a\" : 1.0}", "7", "\"]\"", "[ ]", "null", "-0.0");
    assertThat(elements("[]")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", "{}", "1", "[", "[1", "[1,", "[1,]", "[1 2]", "[1]]", "[1][2]", "[{]}", "[01]"
      })
  void arrayThatCannotBeReadToItsEndIsRefused(String json) {
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> elements(json))
        .satisfies(e -> assertThat(e.type()).isEqualTo(ProblemType.INVALID_REQUEST));
  }

  @Test
  void endlessNestingIsRefused() {
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> elements("[1," + "[".repeat(1_000_000)))
        .satisfies(e -> assertThat(e.detail()).startsWith("[1] is nested"));
  }

  @Test
  void linesEndWithOrWithoutCarriageReturnAndBlankOnesDoNotCount() {
    assertThat(lines("{}\n\n{\"a\":\r1}\r\n \t\r\n{}"))
        .containsExactly("{}", "{\"a\":\r1}\r", "{}");
    assertThat(lines("")).isEmpty();
    assertThat(lines("\n\n")).isEmpty();
    assertThat(lines("1\n")).containsExactly("1");
  }

  @Test
  void thousandElementsAreTheMost() {
    List<String> thousand = Collections.nCopies(1000, "1");
    assertThat(elements("[" + String.join(",", thousand) + "]")).hasSize(1000);
    assertThat(lines(String.join("\n", thousand) + "\n\n")).hasSize(1000);
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> elements("[1," + String.join(",", thousand) + "]"))
        .satisfies(e -> assertThat(e.type()).isEqualTo(ProblemType.TOO_LARGE));
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> lines("1\n" + String.join("\n", thousand)))
        .satisfies(e -> assertThat(e.type()).isEqualTo(ProblemType.TOO_LARGE));
  }

  private static List<String> elements(String json) {
    return BatchReader.elements(slice(json)).stream().map(Slice::text).toList();
  }

  private static List<String> lines(String text) {
    return BatchReader.lines(slice(text)).stream().map(Slice::text).toList();
  }

  private static Slice slice(String text) {
    return Slice.of(text.getBytes(StandardCharsets.UTF_8));
  }
}
