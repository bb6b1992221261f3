// Where is my event: one row for each subscription, and each request that was made.
import { get, post } from './api.js';
import { AS, action } from './actions.js';
import { timeline } from './attempts.js';
import { h, link, page, queryOf } from './dom.js';
import { badge, time, whole } from './format.js';
import { subscriptionLink } from './lane-table.js';
import { facts, pager, part, show, table } from './parts.js';

export const title = ({ parts }) => `Event ${parts[2] ?? ''}`;

export function render(place, { parts: [, tenant, id = ''], query }, signal) {
  const about = h('div', {});
  const attempts = h('div', {});
  place.append(about, part('Requests, newest first', attempts));
  show(about, () => get(path(tenant, id), signal), content, signal);
  show(attempts, () => get(`/v1/attempts?${queryOf({ tenant, event: id, cursor: query.cursor })}`, signal), ({ items, nextCursor }) => [
    timeline(items),
    pager(['events', tenant, id], query, nextCursor),
  ], signal);
}

const path = (tenant, id) => `/v1/events/${encodeURIComponent(tenant)}/${encodeURIComponent(id)}`;

function content(event) {
  return [
    facts([
      ['Type', event.type],
      ['Tenant', event.tenant],
      ['Resource', event.resource],
      ['Content type', event.contentType],
      ['Published', time(event.publishedAt)],
    ]),
    part('Where each delivery stands', table('Deliveries', [
      ['Subscription', ({ subscription }) => subscriptionLink(subscription)],
      ['State', ({ state }) => badge(state)],
      ['Attempts', ({ attempts }) => attempts, true],
      ['Last verdict', ({ lastVerdict }) => badge(lastVerdict)],
      ['Next attempt', ({ state, nextAttemptAt }) => (state === 'HELD' ? '–' : time(nextAttemptAt))],
      ['Lane', ({ lane }) => (lane === undefined ? 'no order' : link(page('lanes', lane), lane))],
      ['Key', ({ key }) => key],
      ['Sequence', ({ sequence }) => (sequence === undefined ? '–' : whole(sequence)), true],
      ['Partition', ({ partition }) => link(page('partitions', partition), partition), true],
    ], event.deliveries, 'No subscription matched it when it was published.')),
    h('p', { class: 'buttons' }, again(event),
      link(page('audit', { target: `event/${event.tenant}/${event.id}` }), 'What operators did with it')),
  ];
}

function again(event) {
  return action({
    id: 'redeliver', label: 'Deliver again',
    title: `Deliver ${event.id} again?`,
    text: 'What is still queued stays as it is. As NEW it can go to any subscription of the tenant, if you name it.',
    fields: [{ name: 'subscription', label: 'Only to the subscription', hint: 'All that it was for if empty.' }, AS],
    run: (values) => post(`${path(event.tenant, event.id)}/redeliver`, values),
    done: ({ deliveries }) => deliveries.map(({ subscription, outcome }) => `${subscription}: ${outcome}`).join(', ') || 'It was for no subscription.',
  });
}
