package dev.seriatim.queue;

import com.zaxxer.hikari.HikariDataSource;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Refuses a connection pool that is too small before anything waits for a connection that never
 * comes free.
 */
final class PoolCheck implements BeanPostProcessor {

  /** One for publishing and one for settling, so that neither waits for the other. */
  private static final int SMALLEST = 2;

  /**
   * @throws PoolTooSmallException naming the setting and what is needed
   */
  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    if (bean instanceof HikariDataSource pool && pool.getMaximumPoolSize() < SMALLEST) {
      throw new PoolTooSmallException(
          "spring.datasource.hikari.maximum-pool-size (%d) must be at least %d, so that publishing and settling do not wait for each other"
              .formatted(pool.getMaximumPoolSize(), SMALLEST));
    }
    return bean;
  }
}
