package dev.seriatim.scenario;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/** How a {@link Receiver} answers; called on a thread of its own for each request. */
@FunctionalInterface
interface Behaviour {

  Reply answer(Received request) throws InterruptedException;

  static Behaviour always(int status) {
    return request -> Reply.status(status);
  }

  /** 500 to the first attempts of each delivery, 200 from then on. */
  static Behaviour failingFirst(int attempts) {
    return request -> request.attempt() <= attempts ? Reply.status(500) : Reply.ok();
  }

  /** This one where the condition holds, otherwise 200. */
  default Behaviour when(Predicate<Received> condition) {
    return request -> condition.test(request) ? answer(request) : Reply.ok();
  }

  /**
   * As busy as a real endpoint for up to a time before it answers. The time depends on the seed and
   * the attempt alone, not on what happens around it.
   */
  default Behaviour taking(Duration atMost, long seed) {
    return request -> {
      long nanos = draw(request, seed).nextLong(atMost.toNanos() + 1);
      LockSupport.parkNanos(nanos);
      return answer(request);
    };
  }

  /** 503 to a share of the attempts, chosen by the seed. */
  default Behaviour failing(double share, long seed) {
    return request ->
        draw(request, ~seed).nextDouble() < share ? Reply.status(503) : answer(request);
  }

  private static SplittableRandom draw(Received request, long seed) {
    long attempt = 31L * request.webhookId().hashCode() + request.attempt();
    return new SplittableRandom(new SplittableRandom(seed ^ attempt).nextLong());
  }
}
