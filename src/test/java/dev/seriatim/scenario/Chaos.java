package dev.seriatim.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets faults happen to a cluster at random: some last while others happen. Which and when depends
 * on the seed alone; what they meet does not.
 */
final class Chaos {

  private static final int MOST_PODS = 4;

  private final Cluster cluster;
  private final SplittableRandom random;
  private final List<String> story = new ArrayList<>();

  private int crashes;

  Chaos(Cluster cluster, long seed) {
    this.cluster = cluster;
    this.random = new SplittableRandom(seed);
  }

  /** One fault that lasts, meanwhile up to three that do not; ends when all are over. */
  void round() {
    story.clear();
    crashes = 0;
    switch (random.nextInt(6)) {
      case 0 -> pause();
      case 1 -> cutOff();
      case 2 -> databaseDown();
      default -> {
        blows();
        wait(Duration.ofSeconds(1), Duration.ofSeconds(10));
      }
    }
  }

  /** What happened in the last round. */
  String story() {
    return String.join(", ", story);
  }

  /** How often a lane may have lost the record of its current delivery in the last round. */
  int crashes() {
    return crashes;
  }

  private void pause() {
    PodProcess pod = any();
    crashes++;
    pod.pause();
    blows();
    // W4 wants a minute; leases are over after a tenth of it.
    Duration lasted =
        random.nextInt(4) == 0
            ? wait(Duration.ofSeconds(60), Duration.ofSeconds(61))
            : wait(Duration.ofSeconds(1), Duration.ofSeconds(20));
    pod.resume();
    story.add("SIGSTOP for %d s".formatted(lasted.toSeconds()));
  }

  private void cutOff() {
    if (!Blackout.possible()) {
      blows();
      return;
    }
    PodProcess pod = any();
    crashes++;
    try (Blackout dark = new Blackout(cluster.address(pod), cluster.postgres.port())) {
      blows();
      Duration lasted = wait(Duration.ofSeconds(1), Duration.ofSeconds(30));
      story.add("packets dropped for %d s".formatted(lasted.toSeconds()));
    }
  }

  private void databaseDown() {
    crashes++;
    cluster.postgres.stop(anyStop());
    try {
      Duration lasted =
          random.nextBoolean()
              ? wait(Duration.ofSeconds(60), Duration.ofSeconds(61))
              : wait(Duration.ofSeconds(1), Duration.ofSeconds(20));
      story.add("PostgreSQL down for %d s".formatted(lasted.toSeconds()));
    } finally {
      cluster.postgres.startAgain();
    }
  }

  private void blows() {
    for (int blows = random.nextInt(1, 4); blows > 0; blows--) {
      blow();
      wait(Duration.ofMillis(100), Duration.ofSeconds(3));
    }
  }

  private void blow() {
    switch (random.nextInt(8)) {
      case 0 -> kill();
      case 1 -> leave();
      case 2, 3 -> join();
      case 4 -> {
        crashes++;
        PostgresServer.Stop how = anyStop();
        cluster.postgres.restart(how);
        story.add("PostgreSQL restarted " + how);
      }
      case 5 -> {
        // If it cannot be replaced in time, requests are broken off.
        crashes++;
        terminate("seriatim-leases");
      }
      case 6 -> terminate("seriatim-w%");
      default -> terminate(Cluster.POOLS);
    }
  }

  private void kill() {
    if (cluster.pods().size() > 1) {
      PodProcess pod = any();
      crashes++;
      cluster.kill(pod);
      cluster.forget(pod);
      story.add("SIGKILL");
    }
  }

  private void leave() {
    // A paused pod cannot leave: only those that run are asked to.
    List<PodProcess> running = cluster.pods().stream().filter(pod -> !pod.paused()).toList();
    if (running.size() > 1) {
      cluster.stop(running.get(random.nextInt(running.size())));
      story.add("leave (SIGTERM)");
    }
  }

  private void join() {
    if (cluster.pods().size() < MOST_PODS) {
      cluster.start(1);
      story.add("join");
    }
  }

  private void terminate(String application) {
    cluster.terminateSessions(application);
    story.add("pg_terminate_backend " + application);
  }

  private PodProcess any() {
    return cluster.pod(random.nextInt(cluster.pods().size()));
  }

  private PostgresServer.Stop anyStop() {
    return random.nextBoolean() ? PostgresServer.Stop.FAST : PostgresServer.Stop.IMMEDIATE;
  }

  /** A time at random passes. */
  private Duration wait(Duration atLeast, Duration atMost) {
    Duration time = Duration.ofMillis(random.nextLong(atLeast.toMillis(), atMost.toMillis()));
    LockSupport.parkNanos(time.toNanos());
    return time;
  }
}
