package dev.seriatim.api;

import io.swagger.v3.oas.annotations.Hidden;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** The pages behind the {@code type} of a problem, for people. */
@Hidden
@RestController
class ProblemPages {

  private static final String PAGE =
      """
      <!doctype html>
      <html lang="en">
      <head><meta charset="utf-8"><title>%1$s</title></head>
      <body style="font-family: sans-serif; max-width: 40em; margin: 3em auto; line-height: 1.5">
      <h1>%1$s</h1>
      %2$s
      </body>
      </html>
      """;

  @GetMapping("/problems")
  ResponseEntity<String> all() {
    String list =
        Arrays.stream(ProblemType.values())
            .map(
                type ->
                    "<li>%d <a href=\"%s\">%s</a></li>"
                        .formatted(type.status().value(), type.uri(), type.title()))
            .collect(Collectors.joining("\n", "<ul>\n", "\n</ul>"));
    return html("Problems", list);
  }

  @GetMapping("/problems/{slug}")
  ResponseEntity<String> one(@PathVariable String slug) {
    ProblemType type =
        Arrays.stream(ProblemType.values())
            .filter(candidate -> candidate.slug().equals(slug))
            .findFirst()
            .orElseThrow(
                () ->
                    new ProblemException(
                        ProblemType.NOT_FOUND, "There is no problem of that name; see /problems"));
    ProblemGuide guide = ProblemGuide.of(type);
    return html(
        type.title(),
        "<p>Status %d, type <code>%s</code></p>\n<h2>What it means</h2>\n<p>%s</p>\n<h2>What to do</h2>\n<p>%s</p>"
            .formatted(type.status().value(), type.uri(), guide.meaning(), guide.remedy()));
  }

  private static ResponseEntity<String> html(String title, String content) {
    return ResponseEntity.ok()
        .contentType(MediaType.parseMediaType("text/html;charset=UTF-8"))
        .body(PAGE.formatted(title, content));
  }
}
