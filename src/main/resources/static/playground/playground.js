import { html } from "./elements.js";
import { Player } from "./player.js";
import { RunFailure, fetchRun, letterOf, seconds } from "./runs.js";
import { comparisonRows, logs, momentOf, summaryOf } from "./tables.js";
import { Timeline } from "./timeline.js";

const part = (id) => document.getElementById(id);
const form = part("switches");
const motion = matchMedia("(prefers-reduced-motion: reduce)");

let run = null;
let timelines = [];
let loading = new AbortController();

const player = new Player({ onTime: showTime, onState: showState, reducedMotion: () => motion.matches });

/** The switches as the query that is the address of the run. */
function query() {
  const { consumers, failing, shuffled, hot, seed } = form.elements;
  return `?${new URLSearchParams({
    seed: seed.value,
    consumers: consumers.value,
    failing: failing.value,
    shuffled: shuffled.checked,
    hot: hot.checked,
  })}`;
}

function setSwitches(switches) {
  const { consumers, failing, shuffled, hot, seed } = form.elements;
  seed.value = switches.seed;
  consumers.value = switches.consumers;
  failing.value = switches.failing;
  shuffled.checked = switches.shuffled;
  hot.checked = switches.hot;
}

async function load(search) {
  loading.abort();
  loading = new AbortController();
  const { signal } = loading;
  player.pause();
  part("loading").hidden = run !== null;
  part("result").setAttribute("aria-busy", "true");
  try {
    const answer = await fetchRun(search, signal);
    if (!signal.aborted) {
      showRun(answer);
    }
  } catch (failure) {
    if (!signal.aborted) {
      showFailure(failure);
    }
  }
}

function showRun(answer) {
  run = answer;
  setSwitches(run.switches);
  history.replaceState(null, "", query()); // all switches, whichever the address named
  const end = Math.max(...run.ways.map((way) => way.finishMs));
  timelines = run.ways.map((way) => new Timeline(run, way, end));
  part("orders").replaceChildren(...run.orders.map(legend));
  part("ways").replaceChildren(...timelines.map((timeline) => timeline.element));
  part("comparison").replaceChildren(...comparisonRows(run));
  part("logs").replaceChildren(...logs(run));
  part("scrub").max = end;
  showOnly("result");
  draw();
  player.load(moments(), end);
  part("summary").textContent = summaryOf(run);
}

function legend(order, i) {
  const trouble = [order.hot ? "hot" : null, order.failing ? "its payment fails" : null].filter((word) => word);
  return html(
    "li",
    {},
    html("span", { class: `letter order-${i}` }, letterOf(i)),
    ` ${order.key}${trouble.length ? `, ${trouble.join(", ")}` : ""}`,
  );
}

function moments() {
  const all = run.ways.flatMap((way) => way.attempts.flatMap(({ startMs, endMs }) => [startMs, endMs]));
  return [...new Set(all)].sort((a, b) => a - b);
}

function showFailure(failure) {
  run = null;
  part("failure-detail").textContent =
    failure instanceof RunFailure ? failure.message : `The page could not show it: ${failure.message}`;
  showOnly("failure");
}

function showOnly(id) {
  for (const state of ["loading", "failure", "result"]) {
    part(state).hidden = state !== id;
  }
  part("result").removeAttribute("aria-busy");
}

function draw() {
  const sizes = timelines.map((timeline) => timeline.element.querySelector("svg").clientWidth);
  timelines.forEach((timeline, i) => timeline.draw(Math.max(280, sizes[i])));
}

function showTime(ms) {
  const time = `${seconds(ms)} s`;
  part("scrub").value = ms;
  part("scrub").setAttribute("aria-valuetext", time);
  part("now").textContent = `${time} of ${seconds(part("scrub").max)} s`;
  timelines.forEach((timeline) => timeline.show(ms));
}

function showState(playing) {
  part("play").textContent = playing ? "Pause" : "Play";
}

function changed() {
  if (form.reportValidity()) {
    history.pushState(null, "", query());
    load(location.search);
  }
}

form.addEventListener("change", changed);
form.addEventListener("submit", (event) => event.preventDefault());
part("next-seed").addEventListener("click", () => {
  const { seed } = form.elements;
  seed.value = Number(seed.value) >= Number(seed.max) ? 0 : Number(seed.value) + 1;
  changed();
});
part("copy-link").hidden = navigator.clipboard === undefined; // only where the page came securely
part("copy-link").addEventListener("click", async () => {
  const said = await navigator.clipboard.writeText(location.href).then(
    () => "Link copied",
    () => "Not allowed: copy the address",
  );
  part("copy-link").textContent = said;
  part("summary").textContent = said;
  setTimeout(() => (part("copy-link").textContent = "Copy link"), 2000);
});
part("defaults").addEventListener("click", () => {
  history.pushState(null, "", location.pathname);
  load("");
});
part("play").addEventListener("click", () => (player.playing ? player.pause() : player.play()));
part("scrub").addEventListener("input", () => {
  player.pause();
  player.seek(Number(part("scrub").value));
});
for (const [id, move] of [
  ["step", () => player.step()],
  ["back", () => player.stepBack()],
]) {
  part(id).addEventListener("click", () => {
    move();
    part("summary").textContent = momentOf(run, player.now);
  });
}
addEventListener("popstate", () => load(location.search));
addEventListener("resize", () => {
  if (run !== null) {
    draw();
    timelines.forEach((timeline) => timeline.show(player.now));
  }
});

load(location.search);
