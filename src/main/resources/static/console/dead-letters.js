// What could not be delivered, and the way back for one or for many.
import { get, post } from './api.js';
import { AS } from './actions.js';
import { h, link, page, queryOf } from './dom.js';
import { discard, replay } from './dead-letter.js';
import { dryRun } from './dry-run.js';
import { badge, time, whole } from './format.js';
import { filterForm, labelled } from './filters.js';
import { subscriptionLink } from './lane-table.js';
import { pager, part, show, table } from './parts.js';

const FIELDS = [
  { name: 'tenant', label: 'Tenant' },
  { name: 'subscription', label: 'Subscription' },
  { name: 'key', label: 'Key' },
  { name: 'reason', label: 'Reason', options: [['', 'any'], ['ATTEMPTS_EXHAUSTED', 'ATTEMPTS_EXHAUSTED'], ['TOO_OLD', 'TOO_OLD'], ['SKIPPED', 'SKIPPED by an operator']] },
  { name: 'from', label: 'From (your time)', type: 'datetime-local' },
  { name: 'to', label: 'Until (your time)', type: 'datetime-local' },
];

export const title = () => 'Dead letters';

export function render(place, { query }, signal) {
  const list = h('div', {});
  place.append(filterForm('dead-letters', FIELDS, query), list, part('Replay all that match the filter', replayAll(query)));
  show(list, () => get(`/v1/dead-letters?${queryOf(query)}`, signal), ({ items, nextCursor }) => [
    table('Dead letters, newest first', [
      ['Dead letter', ({ id }) => link(page('dead-letters', id), id)],
      ['Event', ({ tenant, event }) => link(page('events', tenant, event), event)],
      ['Type', ({ eventType }) => eventType],
      ['Subscription', ({ subscription }) => subscriptionLink(subscription)],
      ['Key', ({ key }) => key],
      ['Sequence', ({ sequence }) => (sequence === undefined ? '–' : whole(sequence)), true],
      ['Reason', ({ reason }) => reason],
      ['Last verdict', ({ lastVerdict }) => badge(lastVerdict)],
      ['Attempts', ({ attempts }) => attempts, true],
      ['Given up', ({ ejectedAt }) => time(ejectedAt)],
      ['What to do', (letter) => h('span', { class: 'buttons' }, replay(letter), discard(letter))],
    ], items, 'There is no dead letter like that.'),
    pager(['dead-letters'], query, nextCursor),
  ], signal);
}

function replayAll({ cursor, ...filter }) {
  const chosen = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''));
  return dryRun({
    label: 'Replay all that match the filter',
    fields: [labelled(AS, '')],
    body: (form) => ({
      ...(Object.keys(chosen).length === 0 ? { all: true } : chosen),
      as: new FormData(form).get('as'),
    }),
    send: (body) => post('/v1/dead-letters/replay', body),
    start: 'Replay them',
  });
}
