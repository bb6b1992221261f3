/** What is waiting: the only place that knows the tables between publishing and delivery. */
@NullMarked
package dev.seriatim.queue;

import org.jspecify.annotations.NullMarked;
