/** Who owns what: the partitions, their topology and their leases. */
@NullMarked
package dev.seriatim.partition;

import org.jspecify.annotations.NullMarked;
