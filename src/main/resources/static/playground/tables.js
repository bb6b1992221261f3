import { html } from "./elements.js";
import { WAYS, letterOf, seconds, verdictOf } from "./runs.js";

const OUTCOMES = {
  APPLIED: "written",
  LATE: "late: written over what came after it",
  DROPPED: "late: dropped",
  FAILED: "failed",
};

/** A row per way, for the comparison. */
export function comparisonRows(run) {
  return run.ways.map((way) =>
    html(
      "tr",
      {},
      html("th", { scope: "row" }, WAYS[way.way].name),
      html("td", {}, `${verdictOf(way)}${wrongOrders(way)}`),
      ...[seconds(way.finishMs), way.late, way.dropped, way.retries, way.coldWaitMeanMs, way.coldWaitMaxMs].map(
        (value) => html("td", { class: "number" }, `${value}`),
      ),
    ),
  );
}

function wrongOrders(way) {
  const wrong = way.orders
    .map((order, i) => (order.right ? null : `${letterOf(i)} is ${order.status.toLowerCase()}`))
    .filter((text) => text !== null);
  return wrong.length === 0 ? "" : `: ${wrong.join(", ")}`;
}

/** All attempts of each way as a table to be opened: what the drawing shows, in words. */
export function logs(run) {
  return run.ways.map((way) => {
    const name = WAYS[way.way].name;
    return html(
      "details",
      {},
      html("summary", {}, `${name}, ${way.attempts.length} attempts`),
      html(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": `Attempts of ${name}` },
        html(
          "table",
          {},
          html("thead", {}, html("tr", {}, ...["From, s", "To, s", "Consumer", "Event", "Attempt", "Outcome"].map(columnHead))),
          html("tbody", {}, ...way.attempts.map(attemptRow)),
        ),
      ),
    );
  });
}

function columnHead(text) {
  return html("th", { scope: "col" }, text);
}

function attemptRow({ event, attempt, consumer, startMs, endMs, outcome }) {
  const name = `${letterOf(event.order)}${event.version} ${event.status.toLowerCase()}`;
  return html(
    "tr",
    {},
    ...[seconds(startMs), seconds(endMs), consumer + 1, name, attempt, OUTCOMES[outcome]].map((value) =>
      html("td", {}, `${value}`),
    ),
  );
}

/** The run in a sentence or five, for those who do not see it. */
export function summaryOf(run) {
  const ways = run.ways.map(
    (way) => `${WAYS[way.way].name}: ${verdictOf(way)}, finished at ${seconds(way.finishMs)} seconds, ${way.late} late.`,
  );
  return `Seed ${run.switches.seed}. ${ways.join(" ")}`;
}

/** What begins and ends at a moment, for those who step without seeing. */
export function momentOf(run, ms) {
  const changes = run.ways.flatMap((way) =>
    way.attempts.flatMap((attempt) => {
      const who = `${WAYS[way.way].name}, consumer ${attempt.consumer + 1}`;
      const what = `${letterOf(attempt.event.order)}${attempt.event.version}`;
      const ended = attempt.endMs === ms ? [`${who}: ${what} ${OUTCOMES[attempt.outcome]}.`] : [];
      const begun = attempt.startMs === ms ? [`${who} begins ${what}.`] : [];
      return [...ended, ...begun];
    }),
  );
  return `${seconds(ms)} seconds. ${changes.join(" ")}`;
}
