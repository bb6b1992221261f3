package dev.seriatim.operations;

import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.stereotype.Component;

/** {@code GET /actuator/partitions}: who has which partition and how far behind it is. */
@Component
@Endpoint(id = "partitions")
class PartitionsEndpoint {

  private final LagSampler sampler;

  PartitionsEndpoint(LagSampler sampler) {
    this.sampler = sampler;
  }

  @ReadOperation
  PartitionLag partitions() {
    return sampler.sample();
  }
}
