package dev.seriatim.chart;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.comments.CommentLine;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.representer.Representer;

/**
 * The comments of values.yaml as tables of Markdown. A comment that begins with {@code --} is of
 * the value below it; {@code @section --} begins a table.
 */
final class ValuesTable {

  private static final String DESCRIPTION = "-- ";
  private static final String SECTION = "@section -- ";

  private final StringBuilder markdown = new StringBuilder();
  private final List<String> undescribed = new ArrayList<>();

  private ValuesTable() {}

  static ValuesTable of(Path values) throws IOException {
    LoaderOptions options = new LoaderOptions();
    options.setProcessComments(true);
    DumperOptions dumper = new DumperOptions();
    ValuesTable table = new ValuesTable();
    try (Reader reader = Files.newBufferedReader(values)) {
      Node root =
          new Yaml(new SafeConstructor(options), new Representer(dumper), dumper, options)
              .compose(reader);
      table.add("", (MappingNode) root);
    }
    return table;
  }

  String markdown() {
    return markdown.toString();
  }

  /** Values that no comment describes. */
  List<String> undescribed() {
    return undescribed;
  }

  private void add(String path, MappingNode map) {
    for (NodeTuple tuple : map.getValue()) {
      String name = path + ((ScalarNode) tuple.getKeyNode()).getValue();
      String description = null;
      for (String comment : comments(tuple.getKeyNode())) {
        if (comment.startsWith(SECTION)) {
          begin(comment.substring(SECTION.length()));
        } else if (comment.startsWith(DESCRIPTION)) {
          description = comment.substring(DESCRIPTION.length());
        }
      }
      if (description != null) {
        row(name, tuple.getValueNode(), description);
      } else if (tuple.getValueNode() instanceof MappingNode inner && !inner.getValue().isEmpty()) {
        add(name + ".", inner);
      } else {
        undescribed.add(name);
      }
    }
  }

  private void begin(String section) {
    markdown
        .append(markdown.isEmpty() ? "" : "\n")
        .append("### ")
        .append(section)
        .append("\n\n| value | default | |\n|---|---|---|\n");
  }

  private void row(String name, Node value, String description) {
    String shown = json(value);
    markdown.append(
        "| `%s` | %s | %s |\n"
            .formatted(
                name,
                shown.equals("\"\"") ? "" : "`" + shown.replace("|", "\\|") + "`",
                description.replace("|", "\\|")));
  }

  private static String json(Node node) {
    return switch (node) {
      case MappingNode map ->
          map.getValue().stream()
              .map(it -> ((ScalarNode) it.getKeyNode()).getValue() + ": " + json(it.getValueNode()))
              .collect(Collectors.joining(", ", "{", "}"));
      case SequenceNode list ->
          list.getValue().stream()
              .map(ValuesTable::json)
              .collect(Collectors.joining(", ", "[", "]"));
      case ScalarNode scalar -> scalar.getValue().isEmpty() ? "\"\"" : scalar.getValue();
      default -> throw new IllegalArgumentException(node.getTag().toString());
    };
  }

  private static List<String> comments(Node key) {
    List<CommentLine> lines = key.getBlockComments();
    return lines == null ? List.of() : lines.stream().map(it -> it.getValue().strip()).toList();
  }
}
