package dev.seriatim;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_FIELD_INJECTION;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Clock;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;

/** The arrows of the design and the rules that no compiler checks. */
@AnalyzeClasses(packages = "dev.seriatim", importOptions = DoNotIncludeTests.class)
class ArchitectureTests {

  /** Where time and chance come from when nobody has injected them. */
  private static final Map<String, Set<String>> AMBIENT =
      Map.of(
          System.class.getName(), Set.of("nanoTime", "currentTimeMillis"),
          Thread.class.getName(), Set.of("sleep"),
          TimeUnit.class.getName(), Set.of("sleep"),
          Math.class.getName(), Set.of("random"),
          Random.class.getName(), Set.of("<init>"),
          ThreadLocalRandom.class.getName(), Set.of("current"));

  @ArchTest
  static final ArchRule arrowsPointDown =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .withOptionalLayers(true)
          .layer("application")
          .definedBy("dev.seriatim")
          .layer("development")
          .definedBy("dev.seriatim.development..")
          .layer("operations")
          .definedBy("dev.seriatim.operations..")
          .layer("playground")
          .definedBy("dev.seriatim.playground..")
          .layer("publish")
          .definedBy("dev.seriatim.publish..")
          .layer("delivery")
          .definedBy("dev.seriatim.delivery..")
          .layer("queue")
          .definedBy("dev.seriatim.queue..")
          .layer("subscription")
          .definedBy("dev.seriatim.subscription..")
          .layer("partition")
          .definedBy("dev.seriatim.partition..")
          .layer("audit")
          .definedBy("dev.seriatim.audit..")
          .layer("schema")
          .definedBy("dev.seriatim.schema..")
          .layer("api")
          .definedBy("dev.seriatim.api..")
          .whereLayer("application")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("development")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("operations")
          .mayOnlyAccessLayers("delivery", "queue", "partition", "subscription", "audit", "api")
          .whereLayer("playground")
          .mayOnlyAccessLayers("delivery", "api")
          .whereLayer("publish")
          .mayOnlyAccessLayers("queue", "api")
          .whereLayer("delivery")
          .mayOnlyAccessLayers("queue", "partition", "subscription")
          .whereLayer("queue")
          .mayOnlyAccessLayers("partition", "subscription")
          .whereLayer("subscription")
          .mayOnlyAccessLayers("audit", "api")
          .whereLayer("audit")
          .mayOnlyAccessLayers("api")
          .whereLayer("partition")
          .mayNotAccessAnyLayer()
          .whereLayer("schema")
          .mayNotAccessAnyLayer()
          .whereLayer("schema")
          .mayOnlyBeAccessedByLayers("application")
          .whereLayer("api")
          .mayNotAccessAnyLayer();

  @ArchTest
  static final ArchRule packagesHaveNoCycles =
      slices().matching("dev.seriatim.(*)..").should().beFreeOfCycles().allowEmptyShould(true);

  @ArchTest
  static final ArchRule packagesAreNamedAfterFeatures =
      noClasses().should().resideInAnyPackage("..util..", "..common..", "..model..", "..impl..");

  @ArchTest
  static final ArchRule timeAndChanceAreInjected =
      noClasses()
          .that()
          .doNotBelongToAnyOf(Clocks.class)
          .should()
          .accessTargetWhere(describe("ambient time or chance", ArchitectureTests::isAmbient));

  @ArchTest
  static final ArchRule packagesAreNullMarked =
      classes()
          .should(
              ArchCondition.from(
                  DescribedPredicate.<JavaClass>describe(
                      "be in a package with @NullMarked",
                      type -> type.getPackage().isAnnotatedWith(NullMarked.class))));

  @ArchTest static final ArchRule logging = NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;

  @ArchTest
  static final ArchRule constructorsInject =
      NO_CLASSES_SHOULD_USE_FIELD_INJECTION.allowEmptyShould(true);

  private static boolean isAmbient(JavaAccess<?> access) {
    AccessTarget target = access.getTarget();
    String owner = target.getOwner().getName();
    if (owner.startsWith("java.time.")) {
      // now(), Clock.systemUTC(), ZoneId.systemDefault(), but not now(clock).
      return target.getName().startsWith("system")
          || (target instanceof AccessTarget.CodeUnitAccessTarget called
              && called.getName().equals("now")
              && called.getRawParameterTypes().stream()
                  .noneMatch(type -> type.isEquivalentTo(Clock.class)));
    }
    return AMBIENT.getOrDefault(owner, Set.of()).contains(target.getName());
  }
}
