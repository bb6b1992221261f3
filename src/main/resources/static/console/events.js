// The way to an event: by its tenant and its id.
import { h, page } from './dom.js';
import { labelled } from './filters.js';

export const title = () => 'Find an event';

export function render(place) {
  place.append(
    h('form', {
      class: 'filter panel', role: 'search', 'aria-label': 'Find an event',
      onsubmit: (event) => {
        event.preventDefault();
        const data = new FormData(event.currentTarget);
        location.hash = page('events', data.get('tenant').trim(), data.get('id').trim());
      },
    },
    labelled({ name: 'tenant', label: 'Tenant', required: true }, ''),
    labelled({ name: 'id', label: 'Event id', required: true, hint: 'As published, or as its publish was answered.' }, ''),
    h('p', { class: 'buttons' }, h('button', { type: 'submit', class: 'primary' }, 'Find'))));
}
