/** Seeing and repairing: lag, dead letters, where an event stands. */
@NullMarked
package dev.seriatim.operations;

import org.jspecify.annotations.NullMarked;
