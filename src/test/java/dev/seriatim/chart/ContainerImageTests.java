package dev.seriatim.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PodSecurityContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** The image that the build describes and the chart that starts it say the same. */
class ContainerImageTests {

  private static final String CONTAINER =
      "/project/profiles/profile[id='image']//plugin[artifactId='jib-maven-plugin']/configuration/container";

  @Test
  void chartStartsWhatTheImageWouldStartByItself() throws Exception {
    Document pom =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(Path.of("pom.xml").toFile());
    Manifests manifests = Chart.with("default", "jvm: {options: []}");
    ChartPod pod = ChartPod.with("jvm: {options: []}");

    assertThat(pod.command()).isEqualTo(texts(pom, "/entrypoint/*"));
    assertThat(List.of(pod.workingDirectory())).isEqualTo(texts(pom, "/workingDirectory"));
    assertThat(pod.ports().get("http").toString()).isIn(texts(pom, "/ports/port"));
    PodSecurityContext user = manifests.pod().getSpec().getSecurityContext();
    assertThat(texts(pom, "/user"))
        .containsExactly("%d:%d".formatted(user.getRunAsUser(), user.getRunAsGroup()));
  }

  @Test
  void optionsOfTheChartComeAfterThoseOfTheImage() throws Exception {
    assertThat(ChartPod.with("jvm: {options: [-Xmx1g, '-Xlog:gc']}").command())
        .containsExactly(
            "/opt/java/bin/java", "@java.options", "-Xmx1g", "-Xlog:gc", "-jar", "seriatim.jar");

    try (Stream<String> lines = Files.lines(Path.of("src/image/java.options"))) {
      assertThat(lines.filter(line -> line.startsWith("-")))
          .contains(
              "-XX:+UseCompactObjectHeaders",
              "-XX:AOTCache=seriatim.aot",
              "-XX:MaxRAMPercentage=60",
              "-XX:+ExitOnOutOfMemoryError");
    }
  }

  private static List<String> texts(Document pom, String path) throws XPathExpressionException {
    XPath xpath = XPathFactory.newInstance().newXPath();
    NodeList found = (NodeList) xpath.evaluate(CONTAINER + path, pom, XPathConstants.NODESET);
    return IntStream.range(0, found.getLength())
        .mapToObj(index -> found.item(index).getTextContent().strip())
        .toList();
  }
}
