/** The way in: events over HTTP, byte for byte. */
@NullMarked
package dev.seriatim.publish;

import org.jspecify.annotations.NullMarked;
