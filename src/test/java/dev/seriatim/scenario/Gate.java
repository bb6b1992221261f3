package dev.seriatim.scenario;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Holds answers back until it is opened; from then on it holds nothing. */
final class Gate implements Behaviour {

  private final CountDownLatch open = new CountDownLatch(1);
  private final Behaviour behind;

  /**
   * @param behind who answers once it is open
   */
  Gate(Behaviour behind) {
    this.behind = behind;
  }

  void open() {
    open.countDown();
  }

  @Override
  public Reply answer(Received request) throws InterruptedException {
    if (!open.await(Patience.NANOS, TimeUnit.NANOSECONDS)) {
      throw new AssertionError("The test never opened the gate");
    }
    return behind.answer(request);
  }
}
