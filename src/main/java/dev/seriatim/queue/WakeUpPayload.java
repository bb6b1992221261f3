package dev.seriatim.queue;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Partition numbers as notifications carry them: in decimal, separated by commas. {@link #FREE} and
 * {@link #CHANGED} among them say something else. Pure.
 */
final class WakeUpPayload {

  /** Not that a partition has something new, but that there are partitions without an owner. */
  static final int FREE = -1;

  /** That lanes, partitions or subscriptions are not what they were. */
  static final int CHANGED = -2;

  /** PostgreSQL refuses a payload of 8000 bytes. */
  static final int MAX_BYTES = 7999;

  private WakeUpPayload() {}

  /** As few payloads as it takes; none for no partitions. */
  static List<String> of(Collection<Integer> partitions) {
    List<String> payloads = new ArrayList<>();
    StringBuilder payload = new StringBuilder();
    for (int partition : partitions) {
      String number = Integer.toString(partition);
      if (payload.length() + 1 + number.length() > MAX_BYTES) {
        payloads.add(payload.toString());
        payload.setLength(0);
      }
      payload.append(payload.isEmpty() ? "" : ",").append(number);
    }
    if (!payload.isEmpty()) {
      payloads.add(payload.toString());
    }
    return payloads;
  }

  /**
   * The numbers of a payload. Anybody who may connect to the database may notify: what is not a
   * number is left out, and a number need not be a partition.
   */
  static List<Integer> read(String payload) {
    List<Integer> partitions = new ArrayList<>();
    for (String part : payload.split(",", -1)) {
      if (part.matches("-[12]|[0-9]{1,9}")) {
        partitions.add(Integer.parseInt(part));
      }
    }
    return partitions;
  }
}
