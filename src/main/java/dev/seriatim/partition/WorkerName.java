package dev.seriatim.partition;

import java.util.HexFormat;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The name of this pod, for people and for fair shares; different for every start, never a proof of
 * ownership.
 *
 * @param value host name and a random part
 */
public record WorkerName(String value) {

  static WorkerName of(@Nullable String host, RandomGenerator random) {
    String name = host == null || host.isBlank() ? "pod" : host;
    return new WorkerName(name + "-" + HexFormat.of().toHexDigits(random.nextInt()));
  }
}
