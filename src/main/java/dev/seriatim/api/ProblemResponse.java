package dev.seriatim.api;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Writes a problem where no controller is involved: in filters. Thread-safe. */
@Component
class ProblemResponse {

  private final JsonMapper mapper;

  ProblemResponse(JsonMapper mapper) {
    this.mapper = mapper;
  }

  void write(ProblemException refusal, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    response.setStatus(refusal.type().status().value());
    response.setContentType(Problem.MEDIA_TYPE);
    response
        .getOutputStream()
        .write(mapper.writeValueAsBytes(Problem.of(refusal, request.getRequestURI())));
  }
}
