// What pages are made of: states, tables, lists of facts, pages of a list.
import { h, link, page } from './dom.js';

/** Shows that it loads, then what came, or why nothing did with a way to try again. */
export async function show(place, load, render, signal) {
  place.setAttribute('aria-busy', 'true');
  if (!place.hasChildNodes()) {
    place.replaceChildren(h('p', { class: 'loading' }, 'Loading…'));
  }
  try {
    const loaded = await load();
    if (!signal?.aborted) {
      place.replaceChildren(...[render(loaded)].flat(Infinity).filter(Boolean));
    }
  } catch (failure) {
    if (!signal?.aborted) {
      place.replaceChildren(problem(failure, () => show(place, load, render, signal)));
    }
    if (!('status' in failure) && failure.name !== 'AbortError') {
      throw failure;
    }
  } finally {
    place.removeAttribute('aria-busy');
  }
}

/** What was refused and why, in the service's words. */
export function problem(failure, again) {
  return h('div', { class: 'problem', role: 'alert' },
    h('p', {}, h('strong', {}, failure.title ?? 'The page met a fault of its own')),
    h('p', {}, failure.detail ?? failure.message),
    again ? h('button', { type: 'button', onclick: again }, 'Try again') : null);
}

export const empty = (text) => h('p', { class: 'empty' }, text);

/**
 * A table that can be scrolled sideways, or a sentence when there is nothing in it.
 *
 * @param {Array<[string, function, boolean?]>} columns head, cell of a row, whether it is a number
 */
export function table(caption, columns, rows, nothing) {
  if (rows.length === 0) {
    return empty(nothing);
  }
  return h('div', { class: 'scroll', role: 'region', 'aria-label': caption, tabindex: 0 },
    h('table', {},
      h('caption', {}, caption),
      h('thead', {}, h('tr', {}, columns.map(([head, , number]) => h('th', { scope: 'col', class: number ? 'number' : null }, head)))),
      h('tbody', {}, rows.map((row) => h('tr', {}, columns.map(([, cell, number]) => h('td', { class: number ? 'number' : null }, cell(row) ?? '–')))))));
}

/** Facts by name; those that are absent are left out. */
export function facts(pairs) {
  return h('dl', { class: 'facts' },
    pairs
      .filter(([, value]) => value !== null && value !== undefined && value !== '')
      .map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))));
}

/** The way to the next page of a list, and back to the first. */
export function pager(parts, query, nextCursor) {
  const { cursor, ...filter } = query;
  return cursor || nextCursor
    ? h('nav', { class: 'pager', 'aria-label': 'Pages of the list' },
      cursor ? link(page(...parts, filter), 'First page', { id: 'first-page' }) : null,
      nextCursor ? link(page(...parts, { ...filter, cursor: nextCursor }), 'Next page', { id: 'next-page' }) : null)
    : null;
}

export const json = (value) => h('code', { class: 'json' }, JSON.stringify(value));

/** A part of a page with a heading of its own. */
export const part = (title, ...content) => h('section', {}, h('h2', {}, title), ...content);
