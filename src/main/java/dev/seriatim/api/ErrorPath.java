package dev.seriatim.api;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Where the servlet container goes with failures outside of controllers: a problem as well. */
@RestController
class ErrorPath implements ErrorController {

  @RequestMapping("${spring.web.error.path:/error}")
  ResponseEntity<Problem> error(HttpServletRequest request) {
    Object code = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE);
    Object path = request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI);
    // Without a code somebody asked for this path itself.
    HttpStatusCode status = HttpStatusCode.valueOf(code instanceof Integer value ? value : 404);
    ProblemException known = RequestFaults.forStatus(status);
    ProblemException refusal =
        known == null
            ? new ProblemException(
                ProblemType.INTERNAL,
                "The request failed for a reason that the log of the service tells")
            : known;
    return ResponseEntity.status(refusal.type().status())
        .contentType(MediaType.parseMediaType(Problem.MEDIA_TYPE))
        .body(Problem.of(refusal, path instanceof String uri ? uri : request.getRequestURI()));
  }
}
