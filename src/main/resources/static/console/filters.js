// A form whose state is the address: it can be kept, shared and gone back to.
import { h, page } from './dom.js';
import { instant, local } from './format.js';

/**
 * @param {string} path of the page
 * @param {Array<object>} fields `{ name, label, options?, type?, hint? }`; options are `[value, label]`
 * @param {object} query what is in the address now
 */
export function filterForm(path, fields, query) {
  return h('form', {
    class: 'filter panel',
    role: 'search',
    'aria-label': 'Filter',
    onsubmit: (event) => {
      event.preventDefault();
      location.hash = page(path, read(event.currentTarget, fields));
    },
  },
  fields.map((field) => labelled(field, query[field.name] ?? '')),
  h('p', { class: 'buttons' },
    h('button', { type: 'submit', id: 'apply', class: 'primary' }, 'Apply'),
    h('a', { href: page(path) }, 'Clear')));
}

let fields = 0;

/** A field with its label. Its id is its own, as a page and a question may ask for the same. */
export function labelled(field, value) {
  const id = `field-${(fields += 1)}`;
  return h('p', { class: 'field' }, h('label', { for: id }, field.label), input(field, id, value),
    field.hint ? h('small', { id: `${id}-hint` }, field.hint) : null);
}

/** What the fields of a form say, as the API reads it. */
export function read(form, fields) {
  const data = new FormData(form);
  return Object.fromEntries(fields.map(({ name, type }) => {
    const value = String(data.get(name) ?? '').trim();
    return [name, type === 'datetime-local' ? instant(value) : value];
  }));
}

function input(field, id, value) {
  const common = { id, name: field.name, required: field.required, 'aria-describedby': field.hint ? `${id}-hint` : null };
  if (field.options) {
    return h('select', common, field.options.map(([option, label]) => h('option', { value: option, selected: option === value }, label)));
  }
  return h('input', {
    ...common,
    type: field.type ?? 'text',
    value: field.type === 'datetime-local' ? local(value) : value,
    autocomplete: 'off',
    spellcheck: 'false',
  });
}
