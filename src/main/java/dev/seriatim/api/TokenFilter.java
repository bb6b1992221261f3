package dev.seriatim.api;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.springframework.http.HttpHeaders;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Knows the caller by {@code Authorization: Bearer <token>} (RFC 6750). A request without it goes
 * on as nobody; what nobody may do is decided afterwards.
 */
class TokenFilter extends OncePerRequestFilter {

  private static final String SCHEME = "Bearer ";

  private final ApiTokens tokens;

  TokenFilter(ApiTokens tokens) {
    this.tokens = tokens;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    String header = request.getHeader(HttpHeaders.AUTHORIZATION);
    // The scheme's name is case-insensitive (RFC 9110, 11.1).
    String operator =
        header != null && header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
            ? tokens.operatorOf(header.substring(SCHEME.length()).strip())
            : null;
    if (operator != null) {
      SecurityContext context = SecurityContextHolder.createEmptyContext();
      context.setAuthentication(
          UsernamePasswordAuthenticationToken.authenticated(operator, null, List.of()));
      SecurityContextHolder.setContext(context);
    }
    chain.doFilter(request, response);
  }
}
