package dev.seriatim.partition;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.bouncycastle.crypto.digests.Blake2bDigest;

/**
 * Finds the partition of a routing key: the unsigned big-endian 64-bit BLAKE2b (RFC 7693; 8 bytes
 * of digest, no key, no salt) of its UTF-8 bytes, modulo the partition count. Pure and thread-safe.
 * The hash is part of the stored data: it never changes for a database, and the golden values in
 * the tests hold it.
 */
public final class Partitioner {

  /** The name under which the topology remembers this hash. */
  static final String HASH = "blake2b-8";

  private final int count;

  /**
   * @param count partitions, at least 1
   */
  public Partitioner(int count) {
    if (count < 1) {
      throw new IllegalArgumentException("there is at least one partition, not " + count);
    }
    this.count = count;
  }

  /**
   * @return 0 to count - 1
   */
  public int partition(String routingKey) {
    return (int) Long.remainderUnsigned(hash(routingKey), count);
  }

  /** How many partitions there are. */
  public int count() {
    return count;
  }

  static long hash(String routingKey) {
    byte[] key = routingKey.getBytes(StandardCharsets.UTF_8);
    Blake2bDigest digest = new Blake2bDigest(Long.SIZE);
    digest.update(key, 0, key.length);
    byte[] hash = new byte[Long.BYTES];
    digest.doFinal(hash, 0);
    return ByteBuffer.wrap(hash).getLong();
  }
}
