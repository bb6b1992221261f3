package dev.seriatim.operations;

/** The head of each lane of the cluster with something queued, wherever it stands. */
final class LaneHeads {

  /**
   * A part of a {@code with}: {@code head}, with {@code lane_id} and {@code sequence}. Goes from
   * lane to lane and passes by what stands behind the heads: an index entry per lane is read. Takes
   * one {@code %s}, a further condition for there being any.
   */
  static final String WALK =
      """
      recursive head as (
        (
          select d.lane_id, d.sequence
          from delivery d
          where d.lane_id is not null
          %s
          order by d.lane_id, d.sequence
          limit 1
        )
        union all
        select next.lane_id, next.sequence
        from head
        cross join lateral (
          select d.lane_id, d.sequence
          from delivery d
          where d.lane_id > head.lane_id
          order by d.lane_id, d.sequence
          limit 1
        ) next
      )""";

  private LaneHeads() {}
}
