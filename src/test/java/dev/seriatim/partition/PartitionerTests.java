package dev.seriatim.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.text.Normalizer;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.io.ClassPathResource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class PartitionerTests {

  /** Case O8: the values are stored data; the hash must never drift. */
  @ParameterizedTest
  @MethodSource("golden")
  void keyHasItsGoldenPartition(JsonNode golden) {
    String key = golden.get("key").asString();

    assertThat(Long.toHexString(Partitioner.hash(key)))
        .isEqualTo(golden.get("digest").asString().replaceFirst("^0+(?=.)", ""));
    for (Map.Entry<String, JsonNode> partition : golden.get("partition").properties()) {
      int count = Integer.parseInt(partition.getKey());
      assertThat(new Partitioner(count).partition(key))
          .as("of %d", count)
          .isEqualTo(partition.getValue().asInt());
    }
  }

  static Stream<JsonNode> golden() throws IOException {
    try (InputStream file = new ClassPathResource("vectors/partition.json").getInputStream()) {
      return new JsonMapper().readTree(file).get("cases").valueStream();
    }
  }

  /** Case O8. */
  @Test
  void composedAndDecomposedFormsAreDifferentKeys() {
    String composed = "Zo\u00eb";
    String decomposed = Normalizer.normalize(composed, Normalizer.Form.NFD);

    assertThat(Partitioner.hash(composed)).isNotEqualTo(Partitioner.hash(decomposed));
  }

  /** Case O8. */
  @Test
  void emptyKeyIsAKeyLikeAnyOther() {
    assertThat(new Partitioner(64).partition("")).isEqualTo(52);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 7, 16, 64, 100})
  void similarKeysSpreadEvenly(int count) {
    Partitioner partitioner = new Partitioner(count);
    int perPartition = 1000;
    int[] keys = new int[count];

    IntStream.range(0, count * perPartition)
        .forEach(i -> keys[partitioner.partition("sub_" + i)]++);

    // Six standard deviations of an even spread; the keys are fixed, so this cannot flicker.
    int tolerance = (int) (6 * Math.sqrt(perPartition));
    assertThat(keys)
        .satisfies(
            all ->
                assertThat(IntStream.of(all).boxed())
                    .allSatisfy(
                        n ->
                            assertThat(n)
                                .isBetween(perPartition - tolerance, perPartition + tolerance)));
  }

  @Test
  void countIsAtLeastOne() {
    assertThatThrownBy(() -> new Partitioner(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least one partition, not 0");
  }
}
