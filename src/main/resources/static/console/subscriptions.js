// Whose endpoints there are, and how they are doing.
import { get } from './api.js';
import { h, link, page, queryOf } from './dom.js';
import { badge, time } from './format.js';
import { filterForm } from './filters.js';
import { pager, show, table } from './parts.js';

const FIELDS = [{ name: 'tenant', label: 'Tenant' }];

export const title = () => 'Subscriptions';

export function render(place, { query }, signal) {
  const list = h('div', {});
  place.append(filterForm('subscriptions', FIELDS, query), list);
  show(list, () => get(`/v1/subscriptions?${queryOf(query)}`, signal), ({ items, nextCursor }) => [
    table('Subscriptions by id', [
      ['Subscription', ({ id }) => link(page('subscriptions', id), id)],
      ['Tenant', ({ tenant }) => tenant],
      ['URL', ({ url }) => url],
      ['Events', ({ eventTypes }) => eventTypes.join(', ')],
      ['Ordering', ({ ordering }) => ordering],
      ['State', ({ state }) => badge(state)],
      ['Circuit', ({ endpoint }) => badge(endpoint.state)],
      ['Failing since', ({ endpoint }) => time(endpoint.failingSince)],
    ], items, query.tenant ? 'This tenant has no subscription.' : 'There is no subscription so far: POST /v1/subscriptions creates one.'),
    pager(['subscriptions'], query, nextCursor),
  ], signal);
}
