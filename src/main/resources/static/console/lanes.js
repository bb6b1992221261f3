// Which keys are stuck: for longest first.
import { get } from './api.js';
import { h, queryOf } from './dom.js';
import { filterForm } from './filters.js';
import { laneTable } from './lane-table.js';
import { pager, show } from './parts.js';

const FIELDS = [
  { name: 'state', label: 'State', options: [['', 'any'], ['ACTIVE', 'ACTIVE'], ['WAITING', 'WAITING: its head failed'], ['HELD', 'HELD: nothing is sent']] },
  { name: 'subscription', label: 'Subscription' },
  { name: 'tenant', label: 'Tenant' },
  { name: 'key', label: 'Key' },
  { name: 'partition', label: 'Partition' },
  { name: 'olderThan', label: 'For longer than', options: [['', 'any time'], ['PT1M', '1 min'], ['PT15M', '15 min'], ['PT1H', '1 h'], ['P1D', '1 d']] },
  { name: 'sort', label: 'Order', options: [['', 'stuck for longest first'], ['depth', 'most deliveries first']] },
];

export const title = () => 'Lanes';

export function render(place, { query }, signal) {
  const list = h('div', {});
  place.append(filterForm('lanes', FIELDS, query), list);
  show(list, () => get(`/v1/lanes?${queryOf(query)}`, signal), ({ items, nextCursor }) => [
    laneTable('Lanes with something queued', items, 'No lane is like that: nothing of it is queued.'),
    pager(['lanes'], query, nextCursor),
  ], signal);
}
