package dev.seriatim.delivery;

/** A request was broken off before its first byte: the receiver cannot have it. */
final class NothingSentException extends InterruptedException {

  private static final long serialVersionUID = 1;

  NothingSentException(String message) {
    super(message);
  }
}
