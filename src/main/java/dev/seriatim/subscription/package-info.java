/** Who wants what, in which order, and where it may be sent. */
@NullMarked
package dev.seriatim.subscription;

import org.jspecify.annotations.NullMarked;
