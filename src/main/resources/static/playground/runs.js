// Runs come from the service, which simulates; this page only shows them.

/** Told by the service: what is wrong with the switches, or that it does not answer. */
export class RunFailure extends Error {}

/**
 * @param search the query of the page, which is that of the run
 * @throws RunFailure with a sentence for the reader
 */
export async function fetchRun(search, signal) {
  let response;
  try {
    response = await fetch(`playground/api/runs${search}`, { signal });
  } catch (failure) {
    if (failure.name === "AbortError") {
      throw failure;
    }
    throw new RunFailure("The service does not answer. Is it running? Try again in a moment.");
  }
  const body = await response.json().catch(() => null);
  if (!response.ok || body === null) {
    throw new RunFailure(body?.detail ?? `The service answered ${response.status}.`);
  }
  return body;
}

export const WAYS = {
  SHARED_QUEUE: {
    name: "Shared queue",
    idea: "Any free consumer takes the next event. The last write wins.",
  },
  HASH_PARTITIONS: {
    name: "Hash partitions",
    idea: "A queue per consumer; the hash of the order's key says which.",
  },
  KEY_LANES: {
    name: "Key lanes",
    idea: "One event of an order at a time, by any free consumer. A failing head waits in its lane. Seriatim.",
  },
  VERSIONED_WRITES: {
    name: "Versioned writes",
    idea: "The shared queue, but an event older than what is there is dropped.",
  },
};

export const letterOf = (order) => "ABCDE"[order];

export const seconds = (ms) => (ms / 1000).toFixed(2);

export const verdictOf = (way) =>
  way.wrong === 0 ? `all ${way.orders.length} right` : `${way.wrong} of ${way.orders.length} wrong`;

/** The status of an order once all that ended by a time is written; null for nothing yet. */
export function statusAt(way, order, ms) {
  let status = null;
  for (const attempt of way.attempts) {
    if (attempt.endMs > ms) {
      break; // attempts come in the order in which they ended
    }
    if (attempt.event.order === order && ["APPLIED", "LATE"].includes(attempt.outcome)) {
      status = attempt.event.status;
    }
  }
  return status;
}
