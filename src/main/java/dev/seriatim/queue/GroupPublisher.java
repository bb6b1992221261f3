package dev.seriatim.queue;

import io.micrometer.core.instrument.DistributionSummary;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;

/**
 * Writes what concurrent requests publish in shared transactions, and wakes the owners after each
 * commit.
 */
@Component
class GroupPublisher implements Publisher, DisposableBean {

  private static final int HEAVY_BYTES = 16 * 1024;

  private final EventWriter writer;
  private final WakeUps wakeUps;
  private final QueueMeters meters;
  private final DistributionSummary batches;
  private final GroupCommit<List<NewEvent>, List<PublishResult>> commits;

  GroupPublisher(
      EventWriter writer, WakeUps wakeUps, PublishSettings settings, QueueMeters meters) {
    this.writer = writer;
    this.wakeUps = wakeUps;
    this.meters = meters;
    this.batches = meters.batches("publish");
    this.commits =
        new GroupCommit<>(
            "publish",
            this::write,
            GroupPublisher::weight,
            settings.maxBatch(),
            settings.maxWaiting(),
            Outage::is,
            waiting -> 0);
  }

  @Override
  public List<PublishResult> publish(List<NewEvent> events) {
    if (events.isEmpty()) {
      return List.of();
    }
    return Waits.join(commits.submit(events));
  }

  @Override
  public void destroy() {
    commits.close();
  }

  private List<List<PublishResult>> write(List<List<NewEvent>> requests) {
    List<NewEvent> events = new ArrayList<>();
    requests.forEach(events::addAll);
    List<PublishResult> results = writer.write(events);
    List<List<PublishResult>> answers = new ArrayList<>(requests.size());
    int start = 0;
    for (List<NewEvent> request : requests) {
      answers.add(results.subList(start, start + request.size()));
      start += request.size();
    }
    wakeUps.wake(partitions(results));
    batches.record(events.size());
    results.forEach(meters::published);
    return answers;
  }

  /**
   * Events count once, and once more for each 16 KiB of payload: a batch is bounded in bytes as
   * well.
   */
  private static int weight(List<NewEvent> events) {
    return events.stream().mapToInt(event -> 1 + event.payload().length / HEAVY_BYTES).sum();
  }

  private static Set<Integer> partitions(List<PublishResult> results) {
    Set<Integer> partitions = new HashSet<>();
    for (PublishResult result : results) {
      if (result instanceof PublishResult.Accepted accepted && !accepted.duplicate()) {
        accepted.deliveries().forEach(routed -> partitions.add(routed.partition()));
      }
    }
    return partitions;
  }
}
