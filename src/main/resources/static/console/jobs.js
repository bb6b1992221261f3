// Long work, newest first.
import { get } from './api.js';
import { h, link, page, queryOf } from './dom.js';
import { badge, time, whole } from './format.js';
import { filterForm } from './filters.js';
import { pager, show, table } from './parts.js';

const FIELDS = [{
  name: 'state', label: 'State',
  options: [['', 'any'], ...['QUEUED', 'RUNNING', 'DONE', 'CANCELLED', 'FAILED'].map((state) => [state, state])],
}];

export const title = () => 'Jobs';

export function render(place, { query }, signal) {
  const list = h('div', {});
  place.append(filterForm('jobs', FIELDS, query), list);
  show(list, () => get(`/v1/jobs?${queryOf(query)}`, signal), ({ items, nextCursor }) => [
    table('Jobs, newest first', [
      ['Job', ({ id }) => link(page('jobs', id), id)],
      ['What', ({ kind }) => kind],
      ['State', ({ state }) => badge(state)],
      ['Back in the queue', ({ done, total }) => (total === undefined ? whole(done) : `${whole(done)} of ${whole(total)}`), true],
      ['Left as they were', ({ skipped }) => whole(skipped), true],
      ['Operator', ({ operator }) => operator],
      ['Asked for', ({ createdAt }) => time(createdAt)],
      ['Finished', ({ finishedAt }) => time(finishedAt)],
    ], items, 'No job was started so far.'),
    pager(['jobs'], query, nextCursor),
  ], signal);
}
