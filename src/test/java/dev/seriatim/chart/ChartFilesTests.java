package dev.seriatim.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Files that are made from others, or that say the same as others. */
class ChartFilesTests {

  private static final Path GOLDEN = Path.of("src/test/resources/chart/default.yaml");
  private static final Path README = Chart.FOLDER.resolve("README.md");
  private static final String BEGIN = "<!-- values: made from values.yaml -->\n";
  private static final String END = "<!-- /values -->";
  private static final String ADVICE =
      "%s is out of date. If that is meant: ./mvnw test -Dtest='Chart*Tests' -Dchart.write=true, and read what changed";

  @Test
  void smallestValuesRenderAsReviewed() throws IOException {
    isUpToDate(GOLDEN, Chart.render(Chart.RELEASE, List.of(Chart.values("default")), ""));
  }

  @Test
  void readmeSaysWhatTheCommentsOfTheValuesSay() throws IOException {
    ValuesTable table = ValuesTable.of(Chart.FOLDER.resolve("values.yaml"));
    String readme = Files.readString(README);
    String before = readme.substring(0, readme.indexOf(BEGIN) + BEGIN.length());
    String after = readme.substring(readme.indexOf(END));

    assertThat(table.undescribed()).isEmpty();
    isUpToDate(README, before + "\n" + table.markdown() + "\n" + after);
  }

  private static void isUpToDate(Path file, String text) throws IOException {
    if (Boolean.getBoolean("chart.write")) {
      Files.writeString(file, text);
    }
    assertThat(Files.readString(file)).as(ADVICE, file).isEqualTo(text);
  }

  @Test
  @SuppressWarnings("unchecked")
  void adapterAsksWhatKedaAsks() throws IOException {
    var rules =
        (List<Map<String, Object>>)
            Chart.load(Chart.FOLDER.resolve("files/prometheus-adapter.yaml")).get("externalRules");

    assertThat(rules)
        .extracting(rule -> words((String) rule.get("metricsQuery")))
        .containsExactly(query("backlog"), query("oldest-age"));
    assertThat(rules)
        .extracting(rule -> ((Map<String, String>) rule.get("name")).get("as"))
        .containsExactly("seriatim_backlog", "seriatim_oldest_age_seconds");
  }

  private static String query(String name) throws IOException {
    return words(Files.readString(Chart.FOLDER.resolve("files/" + name + ".promql")));
  }

  /** Without the labels of a release. */
  private static String words(String query) {
    return query
        .replace("{<<.LabelMatchers>>}", "")
        .replace("<<.LabelMatchers>>,", "")
        .replaceAll("\\s+", " ")
        .strip();
  }
}
