/** What only a developer's machine needs: a database of its own and the demo. */
@NullMarked
package dev.seriatim.development;

import org.jspecify.annotations.NullMarked;
