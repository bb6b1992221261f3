package dev.seriatim.publish;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A part of a request body, by position, so that what is inside can be cut out exactly as it came.
 *
 * @param from first byte
 * @param to byte after the last
 */
@SuppressWarnings("ArrayRecordComponent") // a view of the body, never compared
record Slice(byte[] bytes, int from, int to) {

  private static final int DECODE_CHARS = 4096;

  static Slice of(byte[] bytes) {
    return new Slice(bytes, 0, bytes.length);
  }

  int length() {
    return to - from;
  }

  /**
   * A part of this part.
   *
   * @param start relative to this slice
   * @param end relative to this slice
   */
  Slice part(int start, int end) {
    return new Slice(bytes, from + start, from + end);
  }

  /** The bytes alone, so that the rest of the body can be let go. */
  byte[] copy() {
    return Arrays.copyOfRange(bytes, from, to);
  }

  /** The bytes as text, which must be valid UTF-8. */
  String text() {
    return new String(bytes, from, length(), StandardCharsets.UTF_8);
  }

  /**
   * Without a UTF-8 byte order mark in front. RFC 8259 section 8.1 lets a reader ignore one; it is
   * no part of the JSON value.
   */
  Slice withoutByteOrderMark() {
    boolean marked =
        length() >= 3
            && bytes[from] == (byte) 0xEF
            && bytes[from + 1] == (byte) 0xBB
            && bytes[from + 2] == (byte) 0xBF;
    return marked ? new Slice(bytes, from + 3, to) : this;
  }

  /** Whether there is nothing but JSON's white space (RFC 8259 section 2). */
  boolean isBlank() {
    for (int i = from; i < to; i++) {
      byte b = bytes[i];
      if (b != ' ' && b != '\t' && b != '\r' && b != '\n') {
        return false;
      }
    }
    return true;
  }

  /**
   * Where the bytes stop being strict UTF-8 (no overlong forms, no encoded surrogates), or -1 when
   * they are. Receivers would disagree about what else it is.
   */
  int firstInvalidUtf8() {
    CharsetDecoder decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    ByteBuffer in = ByteBuffer.wrap(bytes, from, length());
    CharBuffer out = CharBuffer.allocate(DECODE_CHARS);
    CoderResult result;
    do {
      out.clear();
      result = decoder.decode(in, out, true);
    } while (result.isOverflow());
    return result.isError() ? in.position() - from : -1;
  }
}
