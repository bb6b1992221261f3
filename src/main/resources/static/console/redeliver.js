// Delivers again what was published since a time: counts first, then starts the job.
import { post } from './api.js';
import { AS } from './actions.js';
import { labelled, read } from './filters.js';
import { dryRun } from './dry-run.js';

const FIELDS = [
  { name: 'from', label: 'Published from (your time)', type: 'datetime-local', required: true },
  { name: 'to', label: 'Until, now if empty', type: 'datetime-local' },
  { name: 'eventTypes', label: 'Event types, all if empty', hint: 'Such as order.*, separated by commas.' },
  AS,
];

export function redeliver(id) {
  return dryRun({
    label: 'Deliver again since a time',
    fields: FIELDS.map((field) => labelled(field, '')),
    body(form) {
      const { from, to, eventTypes, as } = read(form, FIELDS);
      return {
        from,
        as,
        ...(to ? { to } : {}),
        ...(eventTypes ? { eventTypes: eventTypes.split(',').map((type) => type.trim()).filter(Boolean) } : {}),
      };
    },
    send: (body) => post(`/v1/subscriptions/${encodeURIComponent(id)}/redeliver`, body),
    start: 'Deliver again',
  });
}
