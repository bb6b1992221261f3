package dev.seriatim.delivery;

/**
 * How many requests at once an endpoint bears: halved when it says that it is too much, one more
 * per success until it is as many as its subscription allows. No thread-safety: the drainer's.
 */
final class Slowing {

  private int cap = Integer.MAX_VALUE;

  /** At most so many at once, at least 1; {@link Integer#MAX_VALUE} while it is not slowed. */
  int cap() {
    return cap;
  }

  /**
   * @param usual how many the subscription allows
   */
  void tooMuch(int usual) {
    cap = Math.max(1, Math.min(cap, usual) / 2);
  }

  void success(int usual) {
    if (cap < Integer.MAX_VALUE) {
      cap = cap + 1 >= usual ? Integer.MAX_VALUE : cap + 1;
    }
  }
}
