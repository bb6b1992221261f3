package dev.seriatim.delivery;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.MessageConstraintException;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.impl.io.DefaultHttpResponseParser;
import org.apache.hc.core5.http.io.SessionInputBuffer;

/**
 * Reads a status line and headers, any number of them, up to {@value #MAX_HEAD_BYTES} bytes in all:
 * a receiver that never stops sending headers must not fill the memory before its deadline.
 */
final class BoundedResponseParser extends DefaultHttpResponseParser {

  private static final int MAX_HEAD_BYTES = 256 * 1024;

  /** The library's own limits, on a line and on the number of headers, are off: the sum counts. */
  static final Http1Config CONFIG =
      Http1Config.custom().setMaxHeaderCount(-1).setMaxLineLength(-1).build();

  BoundedResponseParser() {
    super(CONFIG);
  }

  @Override
  public ClassicHttpResponse parse(SessionInputBuffer buffer, InputStream stream)
      throws IOException, HttpException {
    return super.parse(buffer, new BoundedStream(stream));
  }

  private static final class BoundedStream extends FilterInputStream {

    private int left = MAX_HEAD_BYTES;

    BoundedStream(InputStream stream) {
      super(stream);
    }

    @Override
    public int read() throws IOException {
      count(1);
      return super.read();
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      int read = super.read(bytes, offset, length);
      count(read);
      return read;
    }

    private void count(int read) throws MessageConstraintException {
      left -= Math.max(read, 0);
      if (left < 0) {
        throw new MessageConstraintException(
            "the headers of the answer exceed " + MAX_HEAD_BYTES + " bytes");
      }
    }
  }
}
