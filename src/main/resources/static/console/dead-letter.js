// One dead letter: what it carries, why it is here, and the two ways out.
import { get, post, remove } from './api.js';
import { AS, action } from './actions.js';
import { timeline } from './attempts.js';
import { h, link, page } from './dom.js';
import { badge, time, whole } from './format.js';
import { subscriptionLink } from './lane-table.js';
import { facts, part, show } from './parts.js';

export const title = ({ parts }) => `Dead letter ${parts[1]}`;

export function render(place, { parts }, signal) {
  show(place.appendChild(h('div', {})), () => get(`/v1/dead-letters/${encodeURIComponent(parts[1])}`, signal), content, signal);
}

function content(letter) {
  return [
    facts([
      ['Reason', letter.reason],
      ['Last verdict', badge(letter.lastVerdict)],
      ['Attempts', String(letter.attempts)],
      ['Event', link(page('events', letter.tenant, letter.event), letter.event)],
      ['Type', letter.eventType],
      ['Tenant', letter.tenant],
      ['Subscription', subscriptionLink(letter.subscription)],
      ['Key', letter.key],
      ['Sequence', letter.sequence === undefined ? null : whole(letter.sequence)],
      ['Resource', letter.resource],
      ['Queued', time(letter.enqueuedAt)],
      ['First attempt', letter.firstAttemptAt ? time(letter.firstAttemptAt) : null],
      ['Given up', time(letter.ejectedAt)],
    ]),
    h('p', { class: 'buttons' }, replay(letter), discard(letter),
      link(page('audit', { target: `dead-letter/${letter.id}` }), 'What operators did with it')),
    part('Payload', h('p', {}, letter.contentType),
      h('pre', { tabindex: 0 }, letter.payload ?? `Not text; in base64: ${letter.payloadBase64}`)),
    part('Attempts', timeline(letter.recentAttempts)),
  ];
}

export function replay({ id }) {
  return action({
    id: `replay-${id}`, label: 'Replay',
    title: `Replay dead letter ${id}?`,
    text: 'It goes back into the queue. For a disabled subscription it waits there.',
    fields: [AS],
    run: (values) => post(`/v1/dead-letters/${id}/replay`, values),
    done: ({ as, alreadyDone }) => (alreadyDone
      ? `Dead letter ${id} was replayed by ${alreadyDone.operator} before.`
      : `Dead letter ${id} is back in the queue as ${as}.`),
  });
}

export function discard({ id, event }) {
  return action({
    id: `discard-${id}`, label: 'Discard', danger: true,
    title: `Discard dead letter ${id}?`,
    text: `It is hidden for good and cannot be replayed. Event ${event} then says DISCARDED.`,
    run: () => remove(`/v1/dead-letters/${id}`),
    done: () => `Dead letter ${id} is discarded.`,
  });
}
