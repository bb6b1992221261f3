// One key: what it waits for, what came of it, and what can be done.
import { get, post } from './api.js';
import { REASON, action } from './actions.js';
import { timeline } from './attempts.js';
import { h, link, page } from './dom.js';
import { age, badge, time, whole } from './format.js';
import { subscriptionLink } from './lane-table.js';
import { facts, part, show, table } from './parts.js';

export const title = ({ parts }) => `Lane ${parts[1]}`;

export function render(place, { parts }, signal) {
  const id = parts[1];
  show(place.appendChild(h('div', {})), () => get(`/v1/lanes/${encodeURIComponent(id)}`, signal), content, signal);
}

function content(lane) {
  return [
    facts([
      ['State', [badge(lane.state), lane.heldBy ? ` by ${lane.heldBy.toLowerCase()}` : '']],
      ['Reason', lane.reason],
      ['Held since', lane.heldSince ? time(lane.heldSince) : null],
      ['Key', lane.key],
      ['Tenant', lane.tenant],
      ['Subscription', lane.subscription ? subscriptionLink(lane.subscription) : 'shared by those of the tenant with ordering TENANT'],
      ['Partition', lane.partition === undefined ? null : link(page('partitions', lane.partition), lane.partition)],
      ['Partition paused', lane.partitionPausedReason],
      ['Deliveries in line', whole(lane.depth)],
      ['Head has waited', lane.head ? age(lane.oldestAgeSeconds) : null],
    ]),
    h('p', { class: 'buttons' }, actions(lane), link(page('audit', { target: `lane/${lane.id}` }), 'What operators did with it')),
    part('Waiting line', line(lane)),
    part('Attempts of its head', timeline(lane.recentAttempts)),
  ];
}

function line(lane) {
  return table(`The first ${lane.line.length} of ${whole(lane.depth)} in line, the head first`, [
    ['Sequence', ({ sequence }) => whole(sequence), true],
    ['Event', ({ event }) => link(page('events', lane.tenant, event), event)],
    ['Type', ({ eventType }) => eventType],
    ['Subscription', ({ subscription }) => subscriptionLink(subscription)],
    ['Attempts', ({ attempts }) => attempts, true],
    ['Last verdict', ({ lastVerdict }) => badge(lastVerdict)],
    ['Next attempt', ({ nextAttemptAt }) => (lane.state === 'HELD' ? '–' : time(nextAttemptAt))],
    ['Queued', ({ enqueuedAt }) => time(enqueuedAt)],
  ], lane.line, 'Nothing is in line.');
}

function actions(lane) {
  const { id, state, heldBy, head } = lane;
  const change = (verb, body) => post(`/v1/lanes/${id}/${verb}`, body);
  return [
    state === 'WAITING' && !lane.partitionPausedReason && action({
      id: 'retry', label: 'Retry now',
      title: 'Try the head again at once?',
      text: `Sequence ${head.sequence} is sent without waiting for its next attempt. Its attempts go on counting.`,
      run: () => change('retry'), done: () => `The head of lane ${id} is due now.`,
    }),
    heldBy && heldBy !== 'SUBSCRIPTION' && action({
      id: 'resume', label: 'Resume',
      title: 'Let the lane go on?',
      text: 'What has failed of it has all of its attempts again; the rest follows in order.',
      run: () => change('resume'), done: () => `Lane ${id} goes on.`,
    }),
    heldBy === 'SUBSCRIPTION' && h('span', {}, 'Enable ', subscriptionLink(head.subscription), ' to go on.'),
    heldBy !== 'OPERATOR' && action({
      id: 'park', label: 'Park',
      title: 'Send nothing of this key?',
      text: 'It stays in line, in order, until somebody resumes it. Other keys go on.',
      fields: [REASON], run: (values) => change('park', values), done: () => `Lane ${id} is parked.`,
    }),
    head && action({
      id: 'skip', label: 'Skip head', danger: true,
      title: `Take sequence ${head.sequence} out of line?`,
      text: `${head.event} goes to the dead letters and can be replayed from there. The receiver sees a gap in the sequence.`,
      run: () => change('skip', { sequence: head.sequence }), done: () => `Sequence ${head.sequence} of lane ${id} is in the dead letters.`,
    }),
  ];
}
