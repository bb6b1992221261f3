package dev.seriatim.queue;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntConsumer;
import org.springframework.stereotype.Component;

/**
 * Tells the drainers of this pod that a partition has something new. A hint: it may be early,
 * doubled or missing, because owners look by themselves as well. Thread-safe; listeners must not
 * block.
 */
@Component
public class WakeUps {

  private final List<IntConsumer> listeners = new CopyOnWriteArrayList<>();

  /** Adds a listener, which gets the number of each partition that has something new. */
  public void listen(IntConsumer listener) {
    listeners.add(listener);
  }

  /** Called after the commit that brought something new. */
  void wake(Collection<Integer> partitions) {
    for (int partition : partitions) {
      listeners.forEach(listener -> listener.accept(partition));
    }
  }
}
