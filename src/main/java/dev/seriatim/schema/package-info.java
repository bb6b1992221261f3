/** The tables as this version needs them: who makes and changes them, and when. */
@NullMarked
package dev.seriatim.schema;

import org.jspecify.annotations.NullMarked;
