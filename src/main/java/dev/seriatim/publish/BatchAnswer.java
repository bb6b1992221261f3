package dev.seriatim.publish;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.seriatim.api.Problem;
import dev.seriatim.api.ProblemException;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What became of a batch.
 *
 * @param results one per event, in the order of the request
 */
record BatchAnswer(List<Result> results) {

  /**
   * @param index place in the request, from 0; blank lines do not count
   * @param status what the event would have been answered with alone
   * @param answer of an event that is stored
   * @param problem of one that is not
   */
  @Schema(name = "BatchResult")
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Result(
      int index,
      int status,
      @JsonUnwrapped @Nullable PublishAnswer answer,
      @Nullable Problem problem) {

    static Result of(int index, PublishAnswer answer) {
      return new Result(index, answer.status(), answer, null);
    }

    static Result of(int index, ProblemException problem) {
      return new Result(index, problem.type().status().value(), null, Problem.of(problem, null));
    }
  }
}
