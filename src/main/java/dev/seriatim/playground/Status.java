package dev.seriatim.playground;

/** What becomes of an order, in this order. */
enum Status {
  CREATED,
  PAID,
  PACKED,
  SHIPPED,
  /** On its way; a hot order is scanned again and again. */
  SCANNED,
  DELIVERED
}
