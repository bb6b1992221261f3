package dev.seriatim.operations;

import org.springframework.context.SmartLifecycle;

/** A component whose work is done by a thread of its own, for as long as the service runs. */
interface BackgroundWork extends SmartLifecycle {

  BackgroundThread thread();

  @Override
  default void start() {
    thread().start();
  }

  @Override
  default boolean isRunning() {
    return thread().isRunning();
  }

  @Override
  default void stop() {
    thread().stop();
  }

  @Override
  default int getPhase() {
    return BackgroundThread.PHASE;
  }
}
