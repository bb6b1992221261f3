package dev.seriatim.operations;

import dev.seriatim.api.Fields;
import dev.seriatim.api.ProblemException;
import dev.seriatim.subscription.EventTypes;
import dev.seriatim.subscription.Subscription;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Lets operators have delivered again what receivers have lost. */
@RestController
class RedeliverController {

  private final EventRedelivery redelivery;
  private final SubscriptionNames names;
  private final RangeEvents events;
  private final JobStarts jobs;

  RedeliverController(
      EventRedelivery redelivery, SubscriptionNames names, RangeEvents events, JobStarts jobs) {
    this.redelivery = redelivery;
    this.names = names;
    this.events = events;
    this.jobs = jobs;
  }

  @Operation(
      summary = "Deliver an event again",
      description =
          """
          To all subscriptions that it was for, or to one; what is still queued stays as it is. \
          ORIGINAL, the default, keeps webhook-id and sequence, and takes it out of the dead \
          letters. NEW sends a copy at the end of the lane, also to a subscription that it was \
          never for, if that is named. A / in the tenant or the id is written as %2F.""")
  @ApiResponse(responseCode = "200", description = "What became of each delivery")
  @ApiResponse(
      responseCode = "404",
      description = "No such event or subscription",
      content = @Content)
  @ApiResponse(
      responseCode = "409",
      description = "As ORIGINAL to a subscription that it was never for",
      content = @Content)
  @Tag(name = "Events")
  @PostMapping(
      path = "/v1/events/{tenant}/{id}/redeliver",
      produces = MediaType.APPLICATION_JSON_VALUE)
  RedeliveredEvent event(
      @PathVariable("tenant") String tenant,
      @PathVariable("id") String id,
      @RequestBody(required = false) ReplayRequest.@Nullable Event body) {
    return redelivery.redeliver(
        Fields.name("tenant", tenant),
        Fields.name("id", id),
        body == null ? null : Filters.name("subscription", body.subscription()),
        ReplayRequest.orOriginal(body == null ? null : body.as()));
  }

  @Operation(
      summary = "Deliver the events of a time range again",
      description =
          """
          Those that were published from then on and were for this subscription, in the order of \
          its lanes; what is still queued stays as it is. As NEW also those that it wants and that \
          were never for it, because it was disabled or not there. With "dryRun": true nothing \
          happens but a count.""")
  @ApiResponse(
      responseCode = "200",
      description = "Only counted",
      content = @Content(schema = @Schema(implementation = ReplayRequest.Count.class)))
  @ApiResponse(
      responseCode = "202",
      description = "A job does it; Location says where to follow it",
      content = @Content(schema = @Schema(implementation = Job.class)))
  @ApiResponse(responseCode = "404", description = "No such subscription", content = @Content)
  @Tag(name = "Subscriptions")
  @PostMapping(
      path = "/v1/subscriptions/{id}/redeliver",
      produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<Object> range(
      @PathVariable("id") String id, @RequestBody ReplayRequest.Range body) {
    Subscription subscription = names.find(id);
    RangeJob.Parameters parameters = parameters(subscription, body);
    return Boolean.TRUE.equals(body.dryRun())
        ? ResponseEntity.ok(new ReplayRequest.Count(events.count(parameters.wanted(subscription))))
        : jobs.accept(JobKind.REDELIVER, parameters, null, detail(parameters));
  }

  private RangeJob.Parameters parameters(Subscription subscription, ReplayRequest.Range body) {
    Instant from = Filters.time("from", body.from());
    if (from == null) {
      throw ProblemException.invalid(
          "from",
          "is required: a time such as 2026-01-31T12:00:00Z, from which on events are sent");
    }
    Instant now = events.now();
    Instant to = Filters.time("to", body.to());
    if (to == null || to.isAfter(now)) {
      to = now;
    }
    Filters.range(from, to);
    List<@Nullable String> types = body.eventTypes();
    return new RangeJob.Parameters(
        subscription.id(),
        subscription.pk(),
        from,
        to,
        types == null ? null : EventTypes.check(types),
        ReplayRequest.orOriginal(body.as()));
  }

  private static Map<String, Object> detail(RangeJob.Parameters parameters) {
    return Map.of(
        "subscription", parameters.subscription(),
        "from", parameters.from(),
        "to", parameters.to(),
        "eventTypes", parameters.eventTypes() == null ? List.of("*") : parameters.eventTypes(),
        "as", parameters.as());
  }
}
