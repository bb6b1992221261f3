package dev.seriatim.scenario;

import dev.seriatim.TestDatabase;
import dev.seriatim.TestService;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests one pod that runs from the first of them to the end of the whole run. Each test keeps
 * to a tenant of its own, see {@link Scenario}.
 */
final class Pod implements ParameterResolver {

  static final int PARTITIONS = 16;

  /** Loopback may be reached, and a number of partitions that is quick to claim. */
  static String[] settings(String... more) {
    List<String> settings = new ArrayList<>(List.of(more));
    settings.add("seriatim.targets.allow=127.0.0.0/8");
    settings.add("seriatim.partitions.count=" + PARTITIONS);
    return settings.toArray(String[]::new);
  }

  static TestService start(String... more) {
    return TestService.start(settings(more));
  }

  static TestService startOn(TestDatabase database, String... more) {
    return TestService.startOn(database, database.url(), settings(more));
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
    return parameter.getParameter().getType() == TestService.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
    return test.getRoot()
        .getStore(ExtensionContext.Namespace.create(Pod.class))
        .computeIfAbsent("pod", key -> start(), TestService.class);
  }
}
