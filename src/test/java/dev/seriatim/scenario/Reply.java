package dev.seriatim.scenario;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * What a {@link Receiver} answers.
 *
 * @param status as recorded in its log
 * @param bytes all of the answer as it goes over the wire
 */
record Reply(int status, byte[] bytes) {

  private static final byte[] NOTHING = {};

  static Reply ok() {
    return status(200);
  }

  static Reply status(int status, String... headers) {
    return of(status, NOTHING, headers);
  }

  /**
   * @param headers whole lines, sent as Latin-1
   */
  static Reply of(int status, byte[] body, String... headers) {
    StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " As asked\r\n");
    for (String header : headers) {
      head.append(header).append("\r\n");
    }
    head.append("Content-Length: ").append(body.length).append("\r\n\r\n");
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.writeBytes(head.toString().getBytes(StandardCharsets.ISO_8859_1));
    all.writeBytes(body);
    return new Reply(status, all.toByteArray());
  }
}
