import { html, svg } from "./elements.js";
import { WAYS, letterOf, seconds, statusAt, verdictOf } from "./runs.js";

const ROW = 24;
const BLOCK = 18;
const LEFT = 28;
const RIGHT = 8;
const AXIS = 22;
const MARKS = { APPLIED: "", LATE: "!", DROPPED: "", FAILED: "✗" };

/** One way: its verdict, a row per consumer, and the status of each order at the time shown. */
export class Timeline {
  #run;
  #way;
  #end;
  #blocks = [];
  #statuses = [];
  #drawing;
  #head;
  #scale;
  element;

  /** @param end the time at the right edge, the same for all ways */
  constructor(run, way, end) {
    this.#run = run;
    this.#way = way;
    this.#end = end;
    const { name, idea } = WAYS[way.way];
    const title = `way-${way.way}`;
    this.#drawing = svg("svg", { class: "timeline", role: "img", "aria-label": this.#inWords(name) });
    const statuses = run.orders.map((order, i) => {
      const text = html("span");
      this.#statuses.push(text);
      return html("li", {}, html("span", { class: `letter order-${i}` }, letterOf(i)), " ", text);
    });
    this.element = html(
      "section",
      { class: "panel way", "aria-labelledby": title, "data-way": way.way },
      html(
        "header",
        {},
        html("h2", { id: title }, name),
        html("span", { class: `badge ${way.wrong ? "wrong" : "right"}` }, `${way.wrong ? "✗" : "✓"} ${verdictOf(way)}`),
      ),
      html("p", { class: "quiet" }, idea),
      html("p", { class: "fact" }, this.#facts()),
      this.#drawing,
      html("ul", { class: "statuses", "aria-label": "Status of each order" }, ...statuses),
    );
  }

  #facts() {
    const { finishMs, late, dropped, coldWaitMeanMs, coldWaitMaxMs } = this.#way;
    const lateness = dropped ? `${late} late, dropped` : `${late} late`;
    return `Finished at ${seconds(finishMs)} s · ${lateness} · cold orders wait ${coldWaitMeanMs} ms, at most ${coldWaitMaxMs} ms`;
  }

  #inWords(name) {
    return `${name}: what each of ${this.#run.switches.consumers} consumers did when. The same is in the table of ${name} under Who did what.`;
  }

  /** Draws for a width in CSS pixels. */
  draw(width) {
    const consumers = this.#run.switches.consumers;
    const height = consumers * ROW + AXIS;
    this.#scale = (width - LEFT - RIGHT) / this.#end;
    this.#drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.#drawing.setAttribute("height", height);
    this.#blocks = this.#way.attempts.map((attempt) => this.#block(attempt));
    this.#head = svg("line", { class: "head", y1: 0, y2: consumers * ROW });
    const finish = this.#x(this.#way.finishMs);
    this.#drawing.replaceChildren(
      ...this.#rows(consumers, width),
      ...this.#ticks(consumers * ROW),
      svg("line", { class: "finish", x1: finish, x2: finish, y1: 0, y2: consumers * ROW }),
      ...this.#blocks.map(({ group }) => group),
      this.#head,
    );
  }

  /** Shows what has happened up to a time. */
  show(ms) {
    for (const { attempt, group, rect, label } of this.#blocks) {
      const started = attempt.startMs <= ms;
      group.setAttribute("visibility", started ? "visible" : "hidden");
      if (started) {
        const done = attempt.endMs <= ms;
        rect.setAttribute("width", Math.max(1, (Math.min(ms, attempt.endMs) - attempt.startMs) * this.#scale - 1));
        label.setAttribute("visibility", done ? "inherit" : "hidden");
        group.setAttribute("class", `block order-${attempt.event.order}${done ? ` ${attempt.outcome.toLowerCase()}` : ""}`);
      }
    }
    const x = this.#x(ms);
    this.#head.setAttribute("x1", x);
    this.#head.setAttribute("x2", x);
    this.#statuses.forEach((text, order) => this.#showStatus(text, order, ms));
  }

  #showStatus(text, order, ms) {
    const status = statusAt(this.#way, order, ms)?.toLowerCase() ?? "nothing yet";
    const over = ms >= this.#way.finishMs;
    const right = this.#way.orders[order].right;
    text.className = over ? (right ? "right" : "wrong") : "";
    text.textContent = over ? `${right ? "✓" : "✗"} ${status}${right ? "" : ", wrong"}` : status;
  }

  #x(ms) {
    return LEFT + ms * this.#scale;
  }

  #block(attempt) {
    const y = attempt.consumer * ROW + (ROW - BLOCK) / 2;
    const width = (attempt.endMs - attempt.startMs) * this.#scale;
    const name = `${letterOf(attempt.event.order)}${attempt.event.version}${MARKS[attempt.outcome]}`;
    const rect = svg("rect", { x: this.#x(attempt.startMs), y, height: BLOCK, rx: 3, width });
    const label = svg(
      "text",
      { x: this.#x(attempt.startMs) + width / 2, y: y + BLOCK - 5 },
      width > name.length * 8 ? name : MARKS[attempt.outcome],
    );
    return { attempt, rect, label, group: svg("g", { class: "block" }, rect, label) };
  }

  #rows(consumers, width) {
    return Array.from({ length: consumers }, (_, consumer) => {
      const y = consumer * ROW + ROW / 2;
      return svg(
        "g",
        {},
        svg("text", { x: 4, y: y + 4 }, `${consumer + 1}`),
        svg("line", { class: "lane", x1: LEFT, x2: width - RIGHT, y1: y, y2: y }),
      );
    });
  }

  #ticks(y) {
    const step = this.#end > 6000 ? 2000 : this.#end > 2500 ? 1000 : 500;
    return Array.from({ length: Math.floor(this.#end / step) + 1 }, (_, i) =>
      svg("text", { x: this.#x(i * step) - 2, y: y + 15 }, `${(i * step) / 1000} s`),
    );
  }
}
