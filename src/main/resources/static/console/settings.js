// What this pod goes by.
import { get } from './api.js';
import { h } from './dom.js';
import { filterForm } from './filters.js';
import { show, table } from './parts.js';

const FIELDS = [
  { name: 'name', label: 'Name contains' },
  { name: 'set', label: 'Which', options: [['', 'all'], ['yes', 'set by somebody']] },
];

export const title = () => 'Settings in force';

export function render(place, { query }, signal) {
  const list = h('div', {});
  place.append(filterForm('settings', FIELDS, query), list);
  show(list, () => get('/console/api/settings', signal), (settings) => table('Settings of the pod that answered', [
    ['Setting', ({ name }) => h('code', {}, name)],
    ['In force', ({ value }) => (value === undefined ? 'not set' : h('strong', {}, value))],
    ['Set', ({ configured }) => (configured ? 'yes' : 'default')],
    ['Meaning', ({ description }) => description ?? ''],
  ], settings.filter(({ name, configured }) => name.includes(query.name ?? '') && (!query.set || configured)),
  'No setting is like that.'), signal);
}
