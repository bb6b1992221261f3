package dev.seriatim.delivery;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.stream.Stream;
import org.springframework.core.io.ClassPathResource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The shared test vectors. */
final class Vectors {

  private Vectors() {}

  static Stream<JsonNode> read(String file, String list) {
    try (InputStream stream = new ClassPathResource("vectors/" + file).getInputStream()) {
      return new JsonMapper().readTree(stream).get(list).valueStream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
