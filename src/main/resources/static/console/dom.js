// Builds elements. What is given as text stays text: nothing that a producer or a receiver sent can become markup.

/**
 * @param {string} name of the element
 * @param {object} properties attributes; `on…` are listeners, null and false are left out
 * @param {...*} children elements, text, numbers, lists of them; null is left out
 */
export function h(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) {
      continue;
    }
    if (key.startsWith('on')) {
      element.addEventListener(key.slice(2), value);
    } else {
      element.setAttribute(key, value === true ? '' : value);
    }
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** A link to a page of the console; `query` without the empty values. */
export function link(to, text, properties = {}) {
  return h('a', { href: to, ...properties }, text);
}

/** The address of a page: `page('lanes', 17)`, `page('lanes', { state: 'HELD' })`. */
export function page(...parts) {
  const query = typeof parts.at(-1) === 'object' ? parts.pop() : {};
  const text = queryOf(query);
  return `#/${parts.map(encodeURIComponent).join('/')}${text ? `?${text}` : ''}`;
}

/** Of the values that are not empty. */
export function queryOf(values) {
  return new URLSearchParams(
    Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== ''),
  ).toString();
}

/** Has screen readers say it, and shows it. */
export function say(text) {
  document.getElementById('said').textContent = text;
}
