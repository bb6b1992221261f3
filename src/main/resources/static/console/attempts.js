// The requests that were made, newest first, each with what came back.
import { h, link, page } from './dom.js';
import { badge, duration, time } from './format.js';
import { empty } from './parts.js';

export function timeline(attempts, nothing = 'No request was made so far, or their history is no longer kept.') {
  return attempts.length === 0 ? empty(nothing) : h('ol', { class: 'timeline' }, attempts.map(entry));
}

function entry(attempt) {
  return h('li', {},
    h('p', {},
      `Attempt ${attempt.attempt} `, badge(attempt.verdict), attempt.status ? ` status ${attempt.status}` : '',
      ` after ${duration(attempt.duration)}, `, time(attempt.at)),
    h('p', { class: 'details' },
      attempt.subscription ? ['to ', link(page('subscriptions', attempt.subscription), attempt.subscription), ', '] : null,
      attempt.event && attempt.tenant ? ['event ', link(page('events', attempt.tenant, attempt.event), attempt.event), ', '] : null,
      attempt.sequence ? `sequence ${attempt.sequence}, ` : null,
      attempt.address ? `dialled ${attempt.address}, ` : null,
      `by ${attempt.owner}, epoch ${attempt.epoch}`),
    attempt.location ? h('p', {}, 'Redirected to ', h('code', {}, attempt.location)) : null,
    attempt.responseHeaders || attempt.responseBody
      ? h('details', {}, h('summary', {}, 'Answer'),
        attempt.responseHeaders ? h('pre', { tabindex: 0 }, attempt.responseHeaders) : null,
        attempt.responseBody ? h('pre', { tabindex: 0 }, attempt.responseBody) : null)
      : null);
}
