package dev.seriatim.delivery;

import java.util.ArrayDeque;

/** One endpoint as {@link KeyLanes} and {@link Turns} know it. No thread-safety: the drainer's. */
final class Endpoint {

  final long pk;

  /** Lanes that are ready, in the order they became so. */
  final ArrayDeque<Lane> ready = new ArrayDeque<>(2);

  /** Lanes that its subscription lets send at once; 0 holds it. */
  int cap;

  /** Whether a failing head lets nothing else of the partition start. */
  boolean blocks;

  /** Lanes that its gate lets send at once; 0 holds it. */
  int gate = Integer.MAX_VALUE;

  /** Its gate lets none start for the moment. */
  boolean paused;

  int inFlight;

  /** Lanes that are not waiting. */
  int lanes;

  /** Lanes that wait. */
  int waiting;

  /** How many of the ready ones could start now. */
  int startable;

  Endpoint(long pk) {
    this.pk = pk;
  }

  boolean held() {
    return cap == 0 || gate == 0;
  }

  /** How many of the ready lanes could start now. */
  int able() {
    return paused ? 0 : Math.clamp(Math.min(cap, gate) - inFlight, 0, ready.size());
  }
}
