package dev.seriatim.api;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Listening on loopback keeps other machines out, but not the web sites that a browser on this
 * machine has open. They reach loopback in two ways: under a name of their own that resolves to it
 * (DNS rebinding), and by plain cross-site requests. Both are refused, except that a link may open
 * a page: that changes nothing, the other site cannot read what comes, and a page can be in no
 * frame.
 *
 * <p>Who gets through is known as {@link Operator#LOOPBACK}: without a token nobody is told more.
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
      SecurityContext context = SecurityContextHolder.createEmptyContext();
      context.setAuthentication(
          UsernamePasswordAuthenticationToken.authenticated(Operator.LOOPBACK, null, List.of()));
      SecurityContextHolder.setContext(context);
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
        ("cross-site".equals(request.getHeader("Sec-Fetch-Site")) && !opensAPage(request))
            || (origin != null && !LoopbackHost.isOrigin(origin));
    return foreign
        ? "Without an API token requests that another web site makes a browser send are refused; configure seriatim.security.token to allow them"
        : null;
  }

  /** In a tab of its own, as W3C Fetch Metadata says. */
  private static boolean opensAPage(HttpServletRequest request) {
    return HttpMethod.GET.matches(request.getMethod())
        && "navigate".equals(request.getHeader("Sec-Fetch-Mode"))
        && "document".equals(request.getHeader("Sec-Fetch-Dest"))
        && Pages.DOCUMENTS.contains(request.getRequestURI());
  }
}
