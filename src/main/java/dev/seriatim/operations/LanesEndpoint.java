package dev.seriatim.operations;

import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.stereotype.Component;

/** {@code GET /actuator/lanes}: the lanes of the cluster that stand out. */
@Component
@Endpoint(id = "lanes")
class LanesEndpoint {

  private final TopLanesSampler lanes;

  LanesEndpoint(TopLanesSampler lanes) {
    this.lanes = lanes;
  }

  @ReadOperation
  TopLanes lanes() {
    return lanes.top(null);
  }
}
