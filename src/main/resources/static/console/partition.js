// One partition: who has it, what waits in it, and a hand on it.
import { get, post } from './api.js';
import { REASON, action } from './actions.js';
import { h, link, page } from './dom.js';
import { age, badge, perSecond, time, whole } from './format.js';
import { laneTable, subscriptionLink } from './lane-table.js';
import { facts, pager, part, problem, show } from './parts.js';

const SAMPLE_IS_NEWER_AFTER = 15_000;

// What was changed here, until the sample that the page shows is sure to know.
let changed = {};

export const title = ({ parts }) => `Partition ${parts[1]}`;

export function render(place, { parts, query }, signal) {
  const id = parts[1];
  const about = h('div', {});
  const lanes = h('div', {});
  place.append(about, part('Lanes, stuck for longest first', lanes));
  show(about, () => get('/console/api/overview', signal), (overview) => {
    const found = overview.partitions.find(({ partition }) => String(partition) === id);
    return found
      ? content({ ...found, ...changed[id] }, overview)
      : problem({ title: 'There is no such thing', detail: `There is no partition ${id}; they count from 0 to ${overview.partitionCount - 1}.` });
  }, signal);
  const cursor = query.cursor ? `&cursor=${encodeURIComponent(query.cursor)}` : '';
  show(lanes, () => get(`/v1/lanes?partition=${encodeURIComponent(id)}${cursor}`, signal), ({ items, nextCursor }) => [
    laneTable(`Lanes of partition ${id}`, items, 'No lane of it has anything queued.'),
    pager(['partitions', id], query, nextCursor),
  ], signal);
}

function content(partition, { stuck, sampledAt }) {
  const red = stuck.includes(partition.partition);
  return [
    facts([
      ['State', [red ? [h('span', { class: 'badge bad' }, 'STUCK'), ' '] : null, badge(partition.state)].flat()],
      ['Paused because', partition.pausedReason],
      ['Paused since', partition.pausedSince ? time(partition.pausedSince) : null],
      ['Owner', partition.owner ?? 'none: another pod takes it within seconds'],
      ['Epoch', whole(partition.epoch)],
      ['Owned since', partition.ownedSince ? time(partition.ownedSince) : null],
      ['Deliveries queued', whole(partition.depth)],
      ['Oldest has waited', age(partition.oldestAgeSeconds)],
      ['Longest failing head', age(partition.headAgeSeconds)],
      // Of its owner, which says so once per sample.
      ['Requests under way', partition.inFlight === undefined ? null : whole(partition.inFlight)],
      ['Delivered', partition.deliveredPerSecond === undefined ? null : perSecond(partition.deliveredPerSecond)],
      ['Last error', lastError(partition.lastError)],
      ['Lanes', `${whole(partition.keys)} with something queued, ${whole(partition.lanes.waiting)} waiting, ${whole(partition.lanes.held)} held`],
      ['Sampled', time(sampledAt)],
    ]),
    h('p', { class: 'buttons' }, hand(partition),
      link(page('audit', { target: `partition/${partition.partition}` }), 'What operators did with it')),
  ];
}

const lastError = (error) => error && [badge(error.verdict), error.status ? ` status ${error.status}` : '',
  error.subscription ? [' of ', subscriptionLink(error.subscription)] : '', ', ', time(error.at)];

function hand({ partition, pausedReason }) {
  const change = async (verb, body) => {
    const answer = await post(`/v1/partitions/${partition}/${verb}`, body);
    changed = { ...changed, [partition]: { pausedReason: undefined, pausedSince: undefined, ...answer } };
    setTimeout(() => delete changed[partition], SAMPLE_IS_NEWER_AFTER);
  };
  return pausedReason
    ? action({
      id: 'resume', label: 'Resume',
      title: `Let partition ${partition} go on?`,
      text: 'Heads that paused it because they were exhausted have all attempts again.',
      run: () => change('resume'), done: () => `Partition ${partition} goes on.`,
    })
    : action({
      id: 'pause', label: 'Pause', danger: true,
      title: `Send nothing of partition ${partition}?`,
      text: 'All lanes of all subscriptions in it wait, in order, until somebody resumes it.',
      fields: [REASON], run: (values) => change('pause', values), done: () => `Partition ${partition} is paused.`,
    });
}
