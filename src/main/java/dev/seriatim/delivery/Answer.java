package dev.seriatim.delivery;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpResponse;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a receiver's answer, growing as it comes in, so that an answer that breaks off
 * leaves what there was of it. Nothing that a receiver can write is too much or unfit for the
 * database.
 *
 * <p>Concurrency: belongs to the thread that sends.
 */
final class Answer {

  private static final int MAX_HEADER_CHARS = 8 * 1024;
  private static final int MAX_LOCATION_CHARS = 2 * 1024;
  private static final int CHUNK = 4 * 1024;

  private @Nullable Integer status;
  private @Nullable String location;
  private @Nullable String retryAfter;
  private @Nullable String headers;
  private @Nullable ByteArrayOutputStream body;

  /** Takes the status line and the headers. */
  void head(HttpResponse response) {
    status = response.getCode();
    location = first(response, "Location", MAX_LOCATION_CHARS);
    retryAfter = first(response, "Retry-After", MAX_HEADER_CHARS);
    StringBuilder lines = new StringBuilder(256);
    Iterator<Header> all = response.headerIterator();
    while (all.hasNext() && lines.length() < MAX_HEADER_CHARS) {
      Header header = all.next();
      lines.append(header.getName()).append(": ").append(header.getValue()).append('\n');
    }
    headers = storable(lines, MAX_HEADER_CHARS);
  }

  /**
   * Reads the body up to a limit.
   *
   * @return whether that was all of it; if not, the connection is of no more use
   */
  boolean body(@Nullable HttpEntity entity, int limit) throws IOException {
    if (entity == null) {
      return true;
    }
    InputStream stream = entity.getContent();
    byte[] chunk = new byte[Math.min(CHUNK, limit + 1)];
    int left = limit;
    int read;
    // One byte beyond the limit tells a body that ends there from one that goes on.
    while ((read = stream.read(chunk, 0, Math.min(chunk.length, left + 1))) >= 0) {
      keep(chunk, Math.min(read, left));
      if (read > left) {
        return false;
      }
      left -= read;
    }
    return true;
  }

  private void keep(byte[] chunk, int length) {
    if (length > 0) {
      if (body == null) {
        body = new ByteArrayOutputStream(length);
      }
      body.write(chunk, 0, length);
    }
  }

  @Nullable Integer status() {
    return status;
  }

  @Nullable String location() {
    return location;
  }

  @Nullable String headers() {
    return headers;
  }

  byte @Nullable [] body() {
    return body == null ? null : body.toByteArray();
  }

  /** The hint in {@code Retry-After}, null without a readable one. */
  @Nullable Duration retryAfter(Instant now) {
    return RetryAfter.parse(retryAfter, now);
  }

  private static @Nullable String first(HttpResponse response, String name, int limit) {
    Header header = response.getFirstHeader(name);
    String value = header == null ? null : header.getValue();
    return value == null ? null : storable(value, limit);
  }

  /**
   * Header bytes are read as Latin-1, so they are text of some kind; control characters, NUL first
   * of all, are not.
   */
  private static String storable(CharSequence text, int limit) {
    int length = Math.min(text.length(), limit);
    StringBuilder clean = new StringBuilder(length);
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      clean.append(Character.isISOControl(c) && c != '\n' && c != '\t' ? '\uFFFD' : c);
    }
    return clean.toString();
  }
}
