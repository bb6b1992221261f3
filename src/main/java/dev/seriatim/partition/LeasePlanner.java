package dev.seriatim.partition;

import java.util.List;
import java.util.stream.Stream;

/**
 * Decides how many partitions a pod should have: floor or ceiling of the partitions per live pod,
 * the ceiling for the first ones by name, so that all pods that see the same pods come to the same
 * shares. Pure. Sticky: it moves nothing that is within a share.
 */
final class LeasePlanner {

  private LeasePlanner() {}

  /**
   * @param partitions how many there are
   * @param workers names of the live pods
   * @param self this pod's name; counted as live even if it is not among them
   * @param owned how many it has
   * @return how many to claim if positive, to give back if negative
   */
  static int change(int partitions, List<String> workers, String self, int owned) {
    List<String> live =
        Stream.concat(workers.stream(), Stream.of(self)).distinct().sorted().toList();
    int floor = partitions / live.size();
    int extra = live.indexOf(self) < partitions % live.size() ? 1 : 0;
    return floor + extra - owned;
  }
}
