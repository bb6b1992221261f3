package dev.seriatim.api;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.util.UriComponentsBuilder;

/**
 * Refuses query parameters that an endpoint does not know, by name: {@code ?tenat=acme} must not
 * list everybody's things. Applies to our handlers whose parameters are all annotated; one that
 * takes the request itself looks after its own query.
 */
class QueryParameters implements HandlerInterceptor {

  @Override
  public boolean preHandle(
      HttpServletRequest request, HttpServletResponse response, Object handler) {
    // The query string alone: asking the request for parameters would read the body of a form.
    String query = request.getQueryString();
    if (query != null && handler instanceof HandlerMethod method && isOurs(method)) {
      Set<String> known = names(method);
      if (known != null) {
        UriComponentsBuilder.newInstance()
            .query(query)
            .build()
            .getQueryParams()
            .forEach((name, values) -> check(decoded(name), values.size(), known));
      }
    }
    return true;
  }

  private static void check(String name, int times, Set<String> known) {
    if (!known.contains(name)) {
      throw ProblemException.invalid(
          name,
          "is not a query parameter here; "
              + (known.isEmpty() ? "there are none" : "known: " + String.join(", ", known)));
    }
    if (times > 1) {
      throw ProblemException.invalid(name, "must be given once");
    }
  }

  private static String decoded(String name) {
    try {
      return URLDecoder.decode(name, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException badEscape) {
      return name;
    }
  }

  private static boolean isOurs(HandlerMethod method) {
    return method.getBeanType().getPackageName().startsWith("dev.seriatim");
  }

  /** Null when they cannot be told from the method. */
  private static @Nullable Set<String> names(HandlerMethod method) {
    Set<String> names = new TreeSet<>();
    for (MethodParameter parameter : method.getMethodParameters()) {
      RequestParam query = parameter.getParameterAnnotation(RequestParam.class);
      if (query != null) {
        String declared = query.name();
        names.add(declared.isEmpty() ? parameter.getParameter().getName() : declared);
      } else if (Arrays.stream(parameter.getParameterAnnotations())
          .noneMatch(
              a ->
                  a instanceof PathVariable
                      || a instanceof RequestBody
                      || a instanceof RequestHeader)) {
        return null;
      }
    }
    return names;
  }
}
