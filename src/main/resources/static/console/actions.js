// What changes something: a button, a question, and what came of it.
import { h, say } from './dom.js';
import { labelled, read } from './filters.js';
import { problem } from './parts.js';

const SEEN_AFTER = 2_000;
let refresh = () => {};

/** What to do after something was changed: show the page anew. */
export function afterwards(action) {
  refresh = action;
}

/**
 * A button that asks before it acts.
 *
 * @param {object} action `id`, `label`, `title` and `text` of the question, `danger`, `fields` to fill in, `run(values)`,
 *     which changes something, and `done(answer)`, the sentence that says what came of it, or the address to go to
 */
export function action({ id, label, danger, ...question }) {
  return h('button', { type: 'button', id, class: danger ? 'danger' : null, onclick: () => ask({ label, danger, ...question }) }, label);
}

/** The choice of every replay. */
export const AS = {
  name: 'as',
  label: 'As',
  options: [
    ['ORIGINAL', 'ORIGINAL: same webhook-id and sequence, ahead of what waits'],
    ['NEW', 'NEW: a copy with an id and the next sequence of its own'],
  ],
};

/** Why, for the audit and for whoever comes next. */
export const REASON = { name: 'reason', label: 'Reason', hint: 'Shown with it and in the audit.' };

function ask({ label, title, text, danger, fields = [], run, done }) {
  const failed = h('div', {});
  const confirm = h('button', { type: 'submit', class: danger ? 'danger' : 'primary' }, label);
  const form = h('form', {},
    h('h2', { id: 'question' }, title),
    h('p', { id: 'question-text' }, text),
    fields.map((field) => labelled({ ...field, name: field.name }, field.value ?? '')),
    failed,
    h('p', { class: 'buttons' }, confirm, h('button', { type: 'button', onclick: () => dialog.close() }, 'Back')));
  const dialog = h('dialog', { 'aria-labelledby': 'question', 'aria-describedby': 'question-text' }, form);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    confirm.disabled = true;
    try {
      const outcome = done(await run(filled(form, fields)));
      dialog.close();
      tell(outcome);
    } catch (failure) {
      failed.replaceChildren(problem(failure));
    } finally {
      confirm.disabled = false;
    }
  });
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** Without what was left empty: the service has a default for it. */
function filled(form, fields) {
  return Object.fromEntries(Object.entries(read(form, fields)).filter(([, value]) => value !== ''));
}

export function tell(outcome) {
  if (outcome.startsWith('#')) {
    location.hash = outcome;
  } else {
    say(outcome);
    refresh();
    setTimeout(lookAgain, SEEN_AFTER);
  }
}

/** What was set in motion has come to something by then; but nobody is interrupted who went on. */
function lookAgain() {
  if (document.activeElement === document.body || document.activeElement?.matches('h1')) {
    refresh();
  }
}
