// Lanes as rows, the same on every page that has some.
import { link, page } from './dom.js';
import { age, badge, time, whole } from './format.js';
import { table } from './parts.js';

export function laneTable(caption, lanes, nothing) {
  return table(caption, [
    ['Lane', ({ id }) => link(page('lanes', id), id)],
    ['State', ({ state, heldBy }) => [badge(state), heldBy ? ` by ${heldBy.toLowerCase()}` : null]],
    ['Key', ({ key }) => key],
    ['Subscription', ({ head, subscription }) => subscriptionLink(subscription ?? head?.subscription)],
    ['Tenant', ({ tenant }) => tenant],
    ['Partition', ({ partition }) => (partition === undefined ? '–' : link(page('partitions', partition), partition)), true],
    ['Deliveries', ({ depth }) => whole(depth), true],
    ['Head has waited', ({ oldestAgeSeconds }) => age(oldestAgeSeconds), true],
    ['Attempts', ({ head }) => head?.attempts, true],
    ['Last verdict', ({ head }) => badge(head?.lastVerdict)],
    ['Next attempt', ({ state, head }) => (state === 'HELD' ? '–' : time(head?.nextAttemptAt))],
  ], lanes, nothing);
}

export const subscriptionLink = (id) => (id ? link(page('subscriptions', id), id) : '–');
