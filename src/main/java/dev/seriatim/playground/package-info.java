/**
 * Why order per key is not simply there: the same events through a shared queue, hash partitions,
 * the lanes of this service and versioned writes, on virtual time. Pure but for the page.
 */
@NullMarked
package dev.seriatim.playground;

import org.jspecify.annotations.NullMarked;
