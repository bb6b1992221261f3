package dev.seriatim.api;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationPredicate;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.http.server.observation.ServerRequestObservationContext;
import org.springframework.stereotype.Component;

/**
 * Leaves those who only look out of the spans and meters of requests: probes and scrapes, which
 * come all day, and the console's stream, which lasts for as long as somebody looks at it. Pure.
 */
@Component
class ObservedRequests implements ObservationPredicate {

  private static final String LIVE = "/console/api/overview/live";

  private final String actuator;

  ObservedRequests(WebEndpointProperties endpoints) {
    this.actuator = endpoints.getBasePath();
  }

  @Override
  public boolean test(String name, Observation.Context context) {
    HttpServletRequest request =
        context instanceof ServerRequestObservationContext server ? server.getCarrier() : null;
    if (request == null) {
      return true;
    }
    String path = request.getRequestURI().substring(request.getContextPath().length());
    return !path.equals(LIVE) && !isActuator(path);
  }

  private boolean isActuator(String path) {
    // Without a path of its own nothing tells it from the rest.
    return !actuator.isEmpty() && (path.equals(actuator) || path.startsWith(actuator + "/"));
  }
}
