/** Who did what: written in the transaction that did it. */
@NullMarked
package dev.seriatim.audit;

import org.jspecify.annotations.NullMarked;
