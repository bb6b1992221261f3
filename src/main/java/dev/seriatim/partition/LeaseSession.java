package dev.seriatim.partition;

import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * The lease thread's connection and what it holds.
 *
 * @param lock key of the {@link OwnerLock} that lives as long as the connection; null where locks
 *     cannot be relied on
 */
record LeaseSession(Connection connection, @Nullable Long lock) {}
