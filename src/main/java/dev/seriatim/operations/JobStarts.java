package dev.seriatim.operations;

import dev.seriatim.audit.Audit;
import dev.seriatim.audit.AuditAction;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionOperations;
import org.springframework.web.util.UriComponentsBuilder;

/** Begins jobs for operators. Thread-safe; blocks on the database. */
@Component
class JobStarts {

  private final JobStore jobs;
  private final Audit audit;
  private final TransactionOperations transaction;
  private final JobThread thread;

  JobStarts(JobStore jobs, Audit audit, TransactionOperations transaction, JobThread thread) {
    this.jobs = jobs;
    this.audit = audit;
    this.transaction = transaction;
    this.thread = thread;
  }

  /** The job is stored when this answers; a pod takes it up by itself. */
  ResponseEntity<Object> accept(
      JobKind kind, Object parameters, @Nullable Long total, Map<String, ?> detail) {
    Job job =
        transaction.execute(
            status -> {
              Job created = jobs.create(kind, parameters, total);
              audit.record(action(kind), "job/" + created.id(), detail);
              return created;
            });
    thread.wake();
    return ResponseEntity.accepted()
        .location(UriComponentsBuilder.fromPath("/v1/jobs/{id}").build(job.id()))
        .body(job);
  }

  private static AuditAction action(JobKind kind) {
    return switch (kind) {
      case REPLAY_DEAD_LETTERS -> AuditAction.REPLAY_DEAD_LETTERS;
      case REDELIVER -> AuditAction.REDELIVER_RANGE;
    };
  }
}
