package dev.seriatim.delivery;

import dev.seriatim.queue.ActivityLog;
import dev.seriatim.queue.PartitionActivity;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leaves what the drainers of this pod are doing where all pods find it. One thread at a time;
 * blocks for one statement, or for none while nothing is owned.
 */
final class ActivityReporter {

  private static final Logger log = LoggerFactory.getLogger(ActivityReporter.class);

  private final Drainers drainers;
  private final ActivityLog activities;

  ActivityReporter(Drainers drainers, ActivityLog activities) {
    this.drainers = drainers;
    this.activities = activities;
  }

  void report() {
    try {
      List<PartitionActivity> now = drainers.activities();
      if (!now.isEmpty()) {
        activities.report(now);
      }
    } catch (RuntimeException | Error e) {
      // An Error as well: the scheduler would not call again. The poller tells of outages.
      log.debug("What the drainers are doing could not be reported", e);
    }
  }
}
