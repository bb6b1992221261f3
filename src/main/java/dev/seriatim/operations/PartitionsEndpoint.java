package dev.seriatim.operations;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.stereotype.Component;

/**
 * {@code GET /actuator/partitions}: who has which partition and how far behind it is; {@code
 * …/{partition}}: one of them, with its lanes that stand out.
 */
@Component
@Endpoint(id = "partitions")
class PartitionsEndpoint {

  private final LagSampler sampler;
  private final TopLanesSampler lanes;

  PartitionsEndpoint(LagSampler sampler, TopLanesSampler lanes) {
    this.sampler = sampler;
    this.lanes = lanes;
  }

  /** One partition. */
  record Detail(Instant sampledAt, @JsonUnwrapped PartitionLag.Partition lag, TopLanes topLanes) {}

  @ReadOperation
  PartitionLag partitions() {
    return sampler.sample();
  }

  /**
   * @return null, which is answered 404, when there is no such partition
   */
  @ReadOperation
  @Nullable Detail partition(@Selector int partition) {
    PartitionLag lag = sampler.sample();
    if (partition < 0 || partition >= lag.partitions().size()) {
      return null;
    }
    return new Detail(lag.sampledAt(), lag.partitions().get(partition), lanes.top(partition));
  }
}
