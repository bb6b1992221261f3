// Who did what, newest first.
import { get } from './api.js';
import { h, link, page, queryOf } from './dom.js';
import { time } from './format.js';
import { filterForm } from './filters.js';
import { json, pager, show, table } from './parts.js';

const ACTIONS = ['PARK_LANE', 'RESUME_LANE', 'SKIP_HEAD', 'RETRY_HEAD', 'PAUSE_PARTITION', 'RESUME_PARTITION', 'REPLAY_DEAD_LETTER',
  'REPLAY_DEAD_LETTERS', 'DISCARD_DEAD_LETTER', 'REDELIVER_EVENT', 'REDELIVER_RANGE', 'CANCEL_JOB',
  'CREATE_SUBSCRIPTION', 'CHANGE_SUBSCRIPTION', 'ENABLE_SUBSCRIPTION', 'DISABLE_SUBSCRIPTION', 'DELETE_SUBSCRIPTION'];
const FIELDS = [
  { name: 'target', label: 'Done to', hint: 'Such as lane/17' },
  { name: 'operator', label: 'Operator' },
  { name: 'action', label: 'Action', options: [['', 'any'], ...ACTIONS.map((action) => [action, action])] },
  { name: 'from', label: 'From (your time)', type: 'datetime-local' },
  { name: 'to', label: 'Until (your time)', type: 'datetime-local' },
];
const PLACES = { lane: 'lanes', partition: 'partitions', 'dead-letter': 'dead-letters', subscription: 'subscriptions', event: 'events', job: 'jobs' };

export const title = () => 'Audit';

export function render(place, { query }, signal) {
  const list = h('div', {});
  place.append(filterForm('audit', FIELDS, query), list);
  show(list, () => get(`/v1/audit?${queryOf(query)}`, signal), ({ items, nextCursor }) => [
    table('What operators did, newest first', [
      ['When', ({ at }) => time(at)],
      ['Operator', ({ operator }) => operator],
      ['Action', ({ action }) => action],
      ['Done to', ({ target }) => placeOf(target)],
      ['Detail', ({ detail }) => json(detail)],
    ], items, 'Nothing like that was done.'),
    pager(['audit'], query, nextCursor),
  ], signal);
}

/** Where it can be looked at. An event's id may have slashes, its tenant's name comes first. */
function placeOf(target) {
  const [kind, first, ...rest] = target.split('/');
  if (!Object.hasOwn(PLACES, kind) || first === undefined) {
    return target;
  }
  return link(kind === 'event' ? page('events', first, rest.join('/')) : page(PLACES[kind], [first, ...rest].join('/')), target);
}
