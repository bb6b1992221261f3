// What is wrong, how fast it goes, and who has what: live.
import { h, link, page, say } from './dom.js';
import { age, badge, count, perSecond, time, whole } from './format.js';
import { heatmap, letters } from './heatmap.js';
import { listen } from './live.js';
import { problem, table } from './parts.js';

const STATES = {
  live: 'Live',
  polling: 'Asked every 5 s, as too many listen',
  lost: 'The connection is lost; trying again',
  outage: 'There is no new sample: the database may not answer',
};

export const title = () => 'Overview';

export function render(place, route, signal) {
  const state = h('p', { class: 'live', id: 'live' }, 'Connecting…');
  const waiting = h('p', { class: 'loading' }, 'Loading…');
  place.append(state, waiting);
  let parts;
  let said = 'live';
  listen({
    overview(data) {
      if (!parts) {
        parts = layout();
        waiting.replaceWith(parts.element);
      }
      parts.update(data);
    },
    state(now) {
      state.textContent = STATES[now];
      state.className = `live ${now}`;
      if (now !== said) {
        say(STATES[now]);
        said = now;
      }
    },
    refused(failure) {
      state.replaceChildren();
      waiting.replaceWith(problem(failure, () => location.reload()));
    },
  }, signal);
}

function layout() {
  const tiles = h('div', { id: 'tiles' });
  const attention = h('div', { id: 'attention' });
  const pods = h('div', {});
  const map = heatmap();
  return {
    element: h('div', {},
      tiles,
      h('section', {}, h('h2', {}, 'Needs attention'), attention),
      h('section', {}, h('h2', {}, 'Partitions'), map.element),
      h('section', {}, h('h2', {}, 'Pods'), pods)),
    update(data) {
      replaceIfChanged(tiles, h('dl', { class: 'tiles' }, measures(data).map(tile)));
      replaceIfChanged(attention, wrong(data));
      map.update(data);
      replaceIfChanged(pods, podTable(data));
    },
  };
}

const tile = ([name, value, { bad, to } = {}]) =>
  h('div', { class: bad ? 'tile bad' : 'tile' }, h('dt', {}, to ? link(to, name) : name), h('dd', {}, value));

function measures({ rates, partitions, stuck, sampledAt, cluster }) {
  const sum = (of) => partitions.reduce((total, partition) => total + (of(partition) ?? 0), 0);
  const most = (of) => partitions.reduce((top, partition) => Math.max(top, of(partition) ?? 0), 0);
  return [
    ['Events published', rates ? perSecond(rates.published) : 'measuring'],
    ['Requests to receivers', rates ? perSecond(rates.attempts) : 'measuring'],
    ['Deliveries settled', rates ? perSecond(rates.settled) : 'measuring'],
    ['Deliveries queued', whole(sum((partition) => partition.depth))],
    ['Oldest has waited', age(most((partition) => partition.oldestAgeSeconds))],
    ['Longest failing head', age(most((partition) => partition.headAgeSeconds)), { bad: stuck.length > 0 }],
    ['Lanes waiting', whole(sum((partition) => partition.lanes.waiting)), { to: page('lanes', { state: 'WAITING' }) }],
    ['Lanes held', whole(sum((partition) => partition.lanes.held)), { to: page('lanes', { state: 'HELD' }) }],
    ['Dead letters', cluster ? whole(cluster.deadLetters) : null, { to: page('dead-letters') }],
    ['Sampled', time(sampledAt)],
  ].filter(([, value]) => value !== null);
}

/** The rows of the alarm, worst first; the words of the map for whoever does not see it. */
function wrong({ partitions, stuck, stuckAfterSeconds }) {
  const red = new Set(stuck);
  const rows = partitions
    .filter((partition) => red.has(partition.partition) || partition.state !== 'ACTIVE')
    .sort((one, other) => (other.headAgeSeconds ?? 0) - (one.headAgeSeconds ?? 0));
  return table('Partitions that are stuck, paused or without an owner', [
    ['Partition', ({ partition }) => link(page('partitions', partition), partition)],
    ['State', (partition) => [red.has(partition.partition) ? h('span', { class: 'badge bad' }, 'STUCK') : null, ' ', badge(partition.state)]],
    ['Head failing for', (partition) => age(partition.headAgeSeconds), true],
    ['Deliveries', ({ depth }) => whole(depth), true],
    ['Why', ({ pausedReason, lanes }) => h('span', { class: 'sentence' }, pausedReason ?? `${count(lanes.waiting, 'lane')} waiting, ${whole(lanes.held)} held`)],
    ['See', ({ partition }) => link(page('lanes', { partition }), 'its lanes')],
  ], rows, `Nothing: every partition has an owner, and no head has been failing for ${age(stuckAfterSeconds)}.`);
}

function podTable({ workers, partitions }) {
  const owners = letters(workers);
  const owned = (worker) => partitions.filter(({ owner }) => owner === worker);
  return table('Pods that were heard of', [
    ['Colour', ({ worker }) => h('span', { class: `letter ${owners.get(worker).style}` }, owners.get(worker).letter)],
    ['Pod', ({ worker }) => worker],
    ['Partitions', ({ worker }) => whole(owned(worker).length), true],
    ['Deliveries', ({ worker }) => whole(owned(worker).reduce((sum, { depth }) => sum + depth, 0)), true],
    ['Started', ({ startedAt }) => time(startedAt)],
    ['Crash shows by', ({ crashDetection }) => crashDetection],
  ], workers, 'No pod was heard of.');
}

/** Leaves alone what is the same, and with it the focus. */
function replaceIfChanged(place, content) {
  if (place.innerHTML !== content.outerHTML) {
    const focused = place.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
    place.replaceChildren(content);
    if (focused) {
      [...place.querySelectorAll('a')].find((a) => a.getAttribute('href') === focused)?.focus();
    }
  }
}
