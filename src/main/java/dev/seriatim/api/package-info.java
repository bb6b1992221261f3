/** How the HTTP API speaks: problems, strict JSON, paging, who may call. */
@NullMarked
package dev.seriatim.api;

import org.jspecify.annotations.NullMarked;
