/** Seriatim: webhooks delivered in order per key, on PostgreSQL. */
@NullMarked
package dev.seriatim;

import org.jspecify.annotations.NullMarked;
