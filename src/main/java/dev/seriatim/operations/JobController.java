package dev.seriatim.operations;

import dev.seriatim.api.Page;
import dev.seriatim.api.PageRequest;
import dev.seriatim.api.ProblemException;
import dev.seriatim.api.ProblemType;
import dev.seriatim.audit.Audit;
import dev.seriatim.audit.AuditAction;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.transaction.support.TransactionOperations;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Long work: how far it is, and an end to it. */
@RestController
@RequestMapping(path = "/v1/jobs", produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "Jobs")
class JobController {

  private final JobStore jobs;
  private final Audit audit;
  private final TransactionOperations transaction;

  JobController(JobStore jobs, Audit audit, TransactionOperations transaction) {
    this.jobs = jobs;
    this.audit = audit;
    this.transaction = transaction;
  }

  @Operation(summary = "Jobs, newest first")
  @GetMapping
  Page<Job> list(
      @Parameter(schema = @Schema(implementation = Job.State.class))
          @RequestParam(name = "state", required = false)
          @Nullable String state,
      @Parameter(description = "nextCursor of the page before")
          @RequestParam(name = "cursor", required = false)
          @Nullable String cursor,
      @Parameter(description = "1 to 500, 50 when missing")
          @RequestParam(name = "limit", required = false)
          @Nullable Integer limit) {
    PageRequest page = PageRequest.of(cursor, limit);
    return Page.of(
        jobs.list(Filters.oneOf(Job.State.class, "state", state), page),
        page,
        job -> Long.toString(job.id()));
  }

  @Operation(summary = "How far a job is")
  @ApiResponse(responseCode = "200", description = "The job")
  @ApiResponse(responseCode = "404", description = "No such job", content = @Content)
  @GetMapping("/{id}")
  Job read(@PathVariable("id") String id) {
    return PathNumbers.read(id).flatMap(jobs::find).orElseThrow(() -> unknown(id));
  }

  @Operation(
      summary = "End a job after the step that is under way",
      description = "What it did stays done. A job that is over stays as it is.")
  @ApiResponse(responseCode = "200", description = "The job as it is now")
  @ApiResponse(responseCode = "404", description = "No such job", content = @Content)
  @PostMapping("/{id}/cancel")
  Job cancel(@PathVariable("id") String id) {
    long number = read(id).id();
    return transaction.execute(
        status -> {
          if (jobs.cancel(number)) {
            audit.record(AuditAction.CANCEL_JOB, "job/" + number, Map.of());
          }
          return jobs.find(number).orElseThrow(() -> unknown(id));
        });
  }

  private static ProblemException unknown(String id) {
    return new ProblemException(ProblemType.NOT_FOUND, "There is no job %s".formatted(id));
  }
}
