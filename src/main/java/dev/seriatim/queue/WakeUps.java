package dev.seriatim.queue;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntPredicate;
import org.springframework.stereotype.Component;

/**
 * Tells the drainers that a partition has something new: those of this pod at once, those of the
 * other pods through {@link WakeUpSender}. A hint: it may be early, doubled or missing, because
 * owners look by themselves as well. Thread-safe; listeners must not block.
 */
@Component
public class WakeUps {

  private final List<IntPredicate> listeners = new CopyOnWriteArrayList<>();
  private final List<Runnable> lookers = new CopyOnWriteArrayList<>();
  private final WakeUpSender others;

  WakeUps(WakeUpSender others) {
    this.others = others;
  }

  /**
   * Adds a listener, which gets the number of each partition that has something new.
   *
   * @param listener answers whether it drains the partition; if nobody here does, the other pods
   *     are told
   */
  public void listen(IntPredicate listener) {
    listeners.add(listener);
  }

  /**
   * Adds what to do when a lane, a partition or a subscription has been changed from outside; must
   * not block.
   */
  public void onChanged(Runnable looker) {
    lookers.add(looker);
  }

  /**
   * Called after the commit that held, resumed or otherwise changed lanes, partitions or
   * subscriptions: all pods look at once what is different. Never blocks.
   */
  public void changed() {
    changedHere();
    others.send(Set.of(WakeUpPayload.CHANGED));
  }

  /** Makes this pod only look. */
  void changedHere() {
    lookers.forEach(Runnable::run);
  }

  /**
   * Called after the commit that brought something new into these partitions, or back into them.
   * Never blocks.
   */
  public void wake(Collection<Integer> partitions) {
    Set<Integer> elsewhere = new HashSet<>();
    for (int partition : partitions) {
      if (!wakeHere(partition)) {
        elsewhere.add(partition);
      }
    }
    if (!elsewhere.isEmpty()) {
      others.send(elsewhere);
    }
  }

  /**
   * Wakes this pod only.
   *
   * @return whether the partition is drained here
   */
  boolean wakeHere(int partition) {
    boolean here = false;
    for (IntPredicate listener : listeners) {
      here |= listener.test(partition);
    }
    return here;
  }
}
