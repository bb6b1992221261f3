package dev.seriatim.publish;

/** A text is not JSON. The message goes on from the name of what it is about: "is not valid …". */
final class MalformedJsonException extends RuntimeException {

  MalformedJsonException(String what) {
    super(what);
  }

  String what() {
    return String.valueOf(getMessage());
  }
}
