package dev.seriatim.api;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Listening on loopback keeps other machines out, but not the web sites that a browser on this
 * machine has open. They reach loopback in two ways: under a name of their own that resolves to it
 * (DNS rebinding), and by plain cross-site requests. Both are refused.
 */
class LoopbackFilter extends OncePerRequestFilter {

  private final ProblemResponse problems;

  LoopbackFilter(ProblemResponse problems) {
    this.problems = problems;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    String refusal = refusal(request);
    if (refusal == null) {
      chain.doFilter(request, response);
    } else {
      problems.write(new ProblemException(ProblemType.FORBIDDEN, refusal), request, response);
    }
  }

  private static @Nullable String refusal(HttpServletRequest request) {
    String host = request.getHeader(HttpHeaders.HOST);
    if (host != null && !LoopbackHost.is(host)) {
      return "Without an API token only localhost is answered, the header Host says otherwise; configure seriatim.security.token to use other names";
    }
    String origin = request.getHeader(HttpHeaders.ORIGIN);
    boolean foreign =
        "cross-site".equals(request.getHeader("Sec-Fetch-Site"))
            || (origin != null && !LoopbackHost.isOrigin(origin));
    return foreign
        ? "Without an API token requests that another web site makes a browser send are refused; configure seriatim.security.token to allow them"
        : null;
  }
}
