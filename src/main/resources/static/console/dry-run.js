// Many deliveries at once: first how many that would be, then the job. What was counted is what is started.
import { h, page } from './dom.js';
import { count } from './format.js';
import { problem } from './parts.js';

/**
 * @param {object} work `label` of the form, `fields`, `body(form)`, which is what the API is asked for, `send(body)`, and `start`,
 *     the label of the button that starts it
 */
export function dryRun({ label, fields, body, send, start }) {
  const outcome = h('div', { role: 'status' });
  const form = h('form', { class: 'filter panel', 'aria-label': label, oninput: () => outcome.replaceChildren() }, fields,
    h('p', { class: 'buttons' }, h('button', { type: 'submit', id: 'dry-run' }, 'Count them first')));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    attempt(outcome, async () => {
      const asked = body(form);
      const answer = await send({ ...asked, dryRun: true });
      outcome.replaceChildren(question(answer.count, () => attempt(outcome, async () => {
        location.hash = page('jobs', (await send(asked)).id);
      }), start));
    });
  });
  return h('div', {}, form, outcome);
}

function question(found, run, start) {
  return found === 0
    ? h('p', {}, 'There is none: nothing would come back.')
    : h('p', { class: 'buttons' },
      `${count(found, 'delivery', 'deliveries')} would come back into the queue.`,
      h('button', { type: 'button', id: 'start', class: 'danger', onclick: run }, start));
}

async function attempt(outcome, work) {
  try {
    await work();
  } catch (failure) {
    outcome.replaceChildren(problem(failure));
  }
}
