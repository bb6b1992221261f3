package dev.seriatim.playground;

/**
 * An order has a new status.
 *
 * @param order number of the order, from 0
 * @param version 1, 2, 3, … per order; with versioned writes the event carries it
 * @param publishedMs in virtual milliseconds
 */
record OrderEvent(int order, int version, Status status, long publishedMs) {}
