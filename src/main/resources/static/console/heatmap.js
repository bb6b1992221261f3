// The partitions as a map: fill by how long the oldest has waited, an edge in the colour and the letter of the owner, a mark
// where something is wrong. Updated in place, so that whoever stands on a cell stays there.
import { h, link, page } from './dom.js';
import { age, count } from './format.js';

const OWNERS = 8;
const LEGEND = [
  ['heat-0', 'nothing waits'],
  ['heat-1', 'oldest under 1 s'],
  ['heat-2', 'under 10 s'],
  ['heat-3', 'under 1 min'],
  ['heat-4', '1 min or more'],
];

/** Letters for the pods, the same everywhere on the page. */
export function letters(workers) {
  return new Map(workers.map(({ worker }, index) => [worker, { letter: letter(index), style: `owner-${index % OWNERS}` }]));
}

function letter(index) {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : letter(Math.floor(index / 26) - 1) + last;
}

export function heatmap() {
  const cells = new Map();
  const list = h('ul', { class: 'heat', 'aria-label': 'Partitions; arrow keys go from one to the next', onkeydown: (event) => move(event, list) });
  const element = h('div', {}, list,
    h('ul', { class: 'legend' },
      LEGEND.map(([style, text]) => h('li', {}, h('span', { class: `swatch ${style}` }), text)),
      h('li', {}, h('span', { class: 'swatch stuck' }, '!'), 'stuck head'),
      h('li', {}, h('span', { class: 'swatch paused' }, '‖'), 'paused'),
      h('li', {}, h('span', { class: 'swatch unowned' }, '?'), 'no owner')));
  return {
    element,
    update({ partitions, stuck, workers }) {
      const owners = letters(workers);
      const red = new Set(stuck);
      for (const partition of partitions) {
        if (!cells.has(partition.partition)) {
          cells.set(partition.partition, link(page('partitions', partition.partition), '', { tabindex: cells.size === 0 ? 0 : -1 }));
          list.append(h('li', {}, cells.get(partition.partition)));
        }
        paint(cells.get(partition.partition), partition, owners, red.has(partition.partition));
      }
    },
  };
}

function paint(cell, partition, owners, stuck) {
  const owner = owners.get(partition.owner);
  const style = ['cell', heat(partition), owner?.style ?? '', stuck ? 'stuck' : partition.state.toLowerCase()].join(' ');
  const mark = stuck ? '!' : partition.state === 'PAUSED' ? '‖' : partition.state === 'UNOWNED' ? '?' : '';
  const name = described(partition, stuck);
  if (cell.className !== style || cell.getAttribute('aria-label') !== name) {
    cell.className = style;
    cell.setAttribute('aria-label', name);
    cell.title = name;
    cell.replaceChildren(
      h('span', { class: 'id' }, `${partition.partition}${mark}`),
      h('span', { class: 'owner' }, owner?.letter ?? '–'));
  }
}

/** By the oldest, not by the depth: where the queue is long, that was counted up to a minute ago. */
function heat({ oldestAgeSeconds: oldest }) {
  if (oldest === undefined) {
    return 'heat-0';
  }
  return oldest < 1 ? 'heat-1' : oldest < 10 ? 'heat-2' : oldest < 60 ? 'heat-3' : 'heat-4';
}

/** What the colours say, in words. */
function described(partition, stuck) {
  return [
    `Partition ${partition.partition}`,
    partition.state.toLowerCase(),
    partition.owner ? `owner ${partition.owner}` : 'no owner',
    count(partition.depth, 'delivery', 'deliveries'),
    partition.oldestAgeSeconds !== undefined ? `oldest ${age(partition.oldestAgeSeconds)}` : null,
    stuck ? `stuck: a head has been failing for ${age(partition.headAgeSeconds)}` : null,
  ].filter(Boolean).join(', ');
}

/** One stop for the tab key; arrows, Home and End within. */
function move(event, list) {
  const cells = [...list.querySelectorAll('a')];
  const at = cells.indexOf(document.activeElement);
  const perRow = cells.filter((cell) => cell.offsetTop === cells[0].offsetTop).length;
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, ArrowDown: at + perRow, ArrowUp: at - perRow, Home: 0, End: cells.length - 1 }[event.key];
  if (at >= 0 && to !== undefined && cells[to]) {
    event.preventDefault();
    cells[at].tabIndex = -1;
    cells[to].tabIndex = 0;
    cells[to].focus();
  }
}
