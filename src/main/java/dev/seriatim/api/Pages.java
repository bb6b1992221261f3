package dev.seriatim.api;

import java.util.Arrays;
import java.util.Set;
import org.springframework.security.web.header.HeaderWriter;
import org.springframework.security.web.header.writers.ContentSecurityPolicyHeaderWriter;
import org.springframework.security.web.header.writers.DelegatingRequestMatcherHeaderWriter;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;
import org.springframework.security.web.util.matcher.OrRequestMatcher;
import org.springframework.security.web.util.matcher.RequestMatcher;

/** What the service shows to people in a browser: own files, which hold no data of anybody. */
final class Pages {

  /** What people open. */
  static final Set<String> DOCUMENTS = Set.of("/", "/playground", "/playground/");

  /** Everything that belongs to a page, {@code /assets} to all of them. */
  static final String[] PATHS = {
    "/",
    "/console/index.html",
    "/console/*.js",
    "/console/*.css", // not what they ask for: /console/api
    "/playground",
    "/playground/**",
    "/assets/**"
  };

  /**
   * Scripts, styles and images are files of the service and what they ask for is of the service,
   * too. Nothing inline, nothing from elsewhere, in no frame.
   */
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
          + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private Pages() {}

  /** Sends the Content-Security-Policy with everything of a page. */
  static HeaderWriter contentSecurityPolicy() {
    PathPatternRequestMatcher.Builder paths = PathPatternRequestMatcher.withDefaults();
    RequestMatcher pages =
        new OrRequestMatcher(
            Arrays.stream(PATHS).<RequestMatcher>map(path -> paths.matcher(path)).toList());
    return new DelegatingRequestMatcherHeaderWriter(
        pages, new ContentSecurityPolicyHeaderWriter(POLICY));
  }
}
