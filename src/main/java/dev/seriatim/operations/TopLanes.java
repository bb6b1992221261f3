package dev.seriatim.operations;

import java.util.List;

/**
 * The lanes that stand out.
 *
 * @param byAge held, failing or, if neither, published for the longest time first
 * @param byDepth longest first
 */
record TopLanes(List<Lane> byAge, List<Lane> byDepth) {}
