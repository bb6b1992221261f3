package dev.seriatim.queue;

import dev.seriatim.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import javax.sql.DataSource;

/** A few connections that write rows into one partition, and commit or roll back, at random. */
final class RandomWriters implements AutoCloseable {

  private static final int CONNECTIONS = 4;
  private static final String INSERT =
      "insert into delivery (partition, id, event_pk, subscription_pk) values (?, ?, 0, 0)";

  private static final class Writer {
    final Connection connection;
    final List<Long> pending = new ArrayList<>();

    Writer(Connection connection) {
      this.connection = connection;
    }
  }

  private final int partition;
  private final Random random;
  private final List<Writer> writers = new ArrayList<>();
  private final Set<Long> committed = new HashSet<>();
  private long nextId;

  RandomWriters(TestDatabase database, int partition, long seed) throws SQLException {
    this.partition = partition;
    this.random = new Random(seed);
    this.nextId = seed * 1_000_000;
    DataSource dataSource = database.dataSource(CONNECTIONS);
    for (int i = 0; i < CONNECTIONS; i++) {
      Connection connection = dataSource.getConnection();
      connection.setAutoCommit(false);
      writers.add(new Writer(connection));
    }
  }

  /** One of them writes a row, commits or rolls back. */
  void step() throws SQLException {
    Writer writer = writers.get(random.nextInt(writers.size()));
    switch (random.nextInt(6)) {
      case 0, 1, 2 -> insert(writer);
      case 3, 4 -> commit(writer);
      default -> {
        writer.connection.rollback();
        writer.pending.clear();
      }
    }
  }

  void commitAll() throws SQLException {
    for (Writer writer : writers) {
      commit(writer);
    }
  }

  /** Numbers of the rows that are in the queue. */
  Set<Long> committed() {
    return committed;
  }

  private void insert(Writer writer) throws SQLException {
    try (PreparedStatement insert = writer.connection.prepareStatement(INSERT)) {
      long id = nextId++;
      insert.setInt(1, partition);
      insert.setLong(2, id);
      insert.executeUpdate();
      writer.pending.add(id);
    }
  }

  private void commit(Writer writer) throws SQLException {
    writer.connection.commit();
    committed.addAll(writer.pending);
    writer.pending.clear();
  }

  @Override
  public void close() throws SQLException {
    for (Writer writer : writers) {
      writer.connection.close();
    }
  }
}
