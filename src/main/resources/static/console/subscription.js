// One endpoint: how it is doing, what holds for it, and what can be done.
import { get, post } from './api.js';
import { REASON, action } from './actions.js';
import { timeline } from './attempts.js';
import { h, link, page } from './dom.js';
import { badge, duration, time } from './format.js';
import { facts, part, show } from './parts.js';
import { redeliver } from './redeliver.js';

export const title = ({ parts }) => `Subscription ${parts[1]}`;

export function render(place, { parts }, signal) {
  const id = parts[1];
  const about = h('div', {});
  const failures = h('div', {});
  place.append(about, part('Deliver again', redeliver(id)), part('Last failed requests', failures));
  show(about, () => get(`/v1/subscriptions/${encodeURIComponent(id)}`, signal), content, signal);
  show(failures, () => get(`/v1/attempts?subscription=${encodeURIComponent(id)}&failed=true&limit=10`, signal),
    ({ items }) => timeline(items, 'No failed request is on record.'), signal);
}

function content(subscription) {
  const { id, endpoint } = subscription;
  return [
    facts([
      ['State', badge(subscription.state)],
      ['Disabled because', subscription.disabledReason],
      ['Circuit', badge(endpoint.state)],
      ['Endpoint', endpoint.reason],
      ['Circuit opened', endpoint.since ? time(endpoint.since) : null],
      ['Nothing is sent until', endpoint.until ? time(endpoint.until) : null],
      ['Failing since', endpoint.failingSince ? time(endpoint.failingSince) : null],
      ['URL', subscription.url],
      ['Tenant', subscription.tenant],
      ['Event types', subscription.eventTypes.join(', ')],
      ['Ordering', subscription.ordering],
      ['When attempts run out', `${subscription.onExhausted}, blocks ${subscription.blocks}`],
      ['Attempts', retry(subscription.retry)],
      ['Timeout', duration(subscription.timeout)],
      ['Requests at once', `at most ${subscription.maxInFlight}`],
      ['Rate', rate(subscription.rateLimit)],
      ['Changed', time(subscription.updatedAt)],
    ]),
    h('p', { class: 'buttons' },
      hand(subscription),
      link(page('lanes', { subscription: id }), 'Its lanes'),
      link(page('dead-letters', { subscription: id }), 'Its dead letters'),
      link(page('audit', { target: `subscription/${id}` }), 'What operators did with it')),
  ];
}

const retry = ({ maxAttempts, schedule, initialDelay, multiplier, maxDelay, maxAge }) => [
  `at most ${maxAttempts}, within ${duration(maxAge)}: after `,
  schedule ? schedule.map(duration).join(', ') : `${duration(initialDelay)}, each time ${multiplier} times as long, up to ${duration(maxDelay)}`,
];

const rate = (limit) => limit && `${limit.limit} per ${duration(limit.per)}, ${limit.burst} at once after a rest`;

function hand({ id, state }) {
  const change = (verb, body) => post(`/v1/subscriptions/${encodeURIComponent(id)}/${verb}`, body);
  return state === 'DISABLED'
    ? action({
      id: 'enable', label: 'Enable',
      title: `Go on delivering to ${id}?`,
      text: 'What was held is delivered in order, and the endpoint begins with a clean record.',
      run: () => change('enable'), done: () => `Subscription ${id} is enabled.`,
    })
    : action({
      id: 'disable', label: 'Disable', danger: true,
      title: `Send nothing to ${id}?`,
      text: 'What is queued is held, in order. Events that are published from now on do not reach it.',
      fields: [REASON], run: (values) => change('disable', values), done: () => `Subscription ${id} is disabled.`,
    });
}
