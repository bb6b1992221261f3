/** The way out: lanes, attempts, signing and sending. */
@NullMarked
package dev.seriatim.delivery;

import org.jspecify.annotations.NullMarked;
