package dev.seriatim.scenario;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** A line of the failure matrix: a policy, a way of failing, and all that is to come of it. */
record MatrixRow(
    Way way,
    String policy,
    String blocks,
    State state,
    int dead,
    int queued,
    String attempts,
    String verdict,
    Neighbour neighbour,
    Hand hand) {

  /**
   * How the endpoint fails.
   *
   * @param decides whether a last failed request decides what becomes of the lane
   */
  enum Way {
    SERVER_ERROR(true),
    CLIENT_ERROR(true),
    TIMEOUT(true),
    CONNECT_REFUSED(true),
    TOO_OLD(true),
    GONE(true),
    CIRCUIT_OPEN(false),
    RATE_LIMITED(false),
    DISABLED(false);

    final boolean decides;

    Way(boolean decides) {
      this.decides = decides;
    }
  }

  enum State {
    ACTIVE,
    HELD,
    PAUSED,
    DISABLED
  }

  enum Neighbour {
    GOES_ON,
    STANDS
  }

  enum Hand {
    NONE,
    RESUME_LANE,
    RESUME_PARTITION,
    ENABLE,
    NEW_URL,
    NO_LIMIT
  }

  /** When the partition's owner crashes. */
  enum Crash {
    NEVER,
    /** Between the last failed request and the recording of its verdict. */
    BEFORE_RECORDING,
    /** Between that and the rows being moved aside, where they are. */
    AFTER_RECORDING,
    /** Later, while others publish into the lane and its endpoint works again. */
    WHILE_OTHERS_PUBLISH
  }

  static MatrixRow parse(String line) {
    List<String> columns = Arrays.stream(line.split("\\|")).map(String::strip).toList();
    return new MatrixRow(
        Way.valueOf(columns.get(0)),
        columns.get(1),
        columns.get(2),
        State.valueOf(columns.get(3)),
        Integer.parseInt(columns.get(4)),
        Integer.parseInt(columns.get(5)),
        columns.get(6),
        columns.get(7),
        Neighbour.valueOf(columns.get(8)),
        Hand.valueOf(columns.get(9)));
  }

  Stream<Crash> crashes() {
    return Stream.of(Crash.values())
        .filter(crash -> crash != Crash.BEFORE_RECORDING || way.decides);
  }

  /** Whether its rows come to stand where no scan passes by them. */
  boolean standsAside() {
    return state == State.HELD || state == State.DISABLED;
  }

  @Override
  public String toString() {
    return way + ", " + policy + (blocks.equals("LANE") ? "" : " blocking its " + blocks);
  }
}
