// Which page is shown, by what follows # in the address.
import { afterwards } from './actions.js';
import { h, link } from './dom.js';
import { problem } from './parts.js';
import { showForget } from './token.js';
import * as audit from './audit.js';
import * as deadLetter from './dead-letter.js';
import * as deadLetters from './dead-letters.js';
import * as event from './event.js';
import * as events from './events.js';
import * as job from './job.js';
import * as jobs from './jobs.js';
import * as lane from './lane.js';
import * as lanes from './lanes.js';
import * as overview from './overview.js';
import * as partition from './partition.js';
import * as settings from './settings.js';
import * as subscription from './subscription.js';
import * as subscriptions from './subscriptions.js';

/** By the first part of the path: the page of it alone, and the page of one of them. */
const PAGES = {
  '': { label: 'Overview', all: overview },
  partitions: { one: partition },
  lanes: { label: 'Lanes', all: lanes, one: lane },
  subscriptions: { label: 'Subscriptions', all: subscriptions, one: subscription },
  'dead-letters': { label: 'Dead letters', all: deadLetters, one: deadLetter },
  events: { label: 'Events', all: events, one: event },
  jobs: { label: 'Jobs', all: jobs, one: job },
  audit: { label: 'Audit', all: audit },
  settings: { label: 'Settings', all: settings },
};

const main = document.getElementById('content');
let running = new AbortController();
let shownPath = null;

function route() {
  const [path, query = ''] = location.hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  return { path, parts: path.split('/').map(decoded), query: Object.fromEntries(new URLSearchParams(query)) };
}

function render() {
  if (location.hash !== '' && !location.hash.startsWith('#/')) {
    return; // the link to the content
  }
  running.abort();
  running = new AbortController();
  const now = route();
  const page = find(now);
  const focused = document.activeElement?.id;
  const title = page ? page.title(now) : 'No such page';
  const heading = h('h1', { tabindex: -1 }, title);
  document.title = `${title} – Seriatim`;
  const place = h('div', {});
  const again = page === overview ? null : h('button', { type: 'button', id: 'refresh', onclick: render }, 'Refresh');
  main.replaceChildren(h('div', { class: 'head' }, heading, again), place);
  mark(now.parts[0]);
  if (page) {
    page.render(place, now, running.signal);
  } else {
    place.append(problem({ title: 'There is no such page', detail: 'Choose one of those above.' }));
  }
  restoreFocus(now.path, focused, heading);
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // typed by hand
  }
}

function find({ parts }) {
  const pages = Object.hasOwn(PAGES, parts[0]) ? PAGES[parts[0]] : null;
  return (parts.length === 1 ? pages?.all : pages?.one) ?? null;
}

/** On a new page at its heading, so that it is read out; on the same one where it was. */
function restoreFocus(path, focused, heading) {
  if (shownPath === null) {
    shownPath = path;
    return;
  }
  const before = shownPath === path && focused ? document.getElementById(focused) : null;
  (before ?? heading).focus();
  if (shownPath !== path) {
    document.getElementById('said').textContent = '';
    window.scrollTo(0, 0);
  }
  shownPath = path;
}

function mark(first) {
  for (const anchor of document.querySelectorAll('#pages a')) {
    if (anchor.dataset.page === first) {
      anchor.setAttribute('aria-current', 'page');
    } else {
      anchor.removeAttribute('aria-current');
    }
  }
}

document.getElementById('pages').append(
  ...Object.entries(PAGES)
    .filter(([, { label }]) => label)
    .map(([name, { label }]) => h('li', {}, link(`#/${name}`, label, { 'data-page': name }))));
afterwards(render);
showForget(render);
window.addEventListener('hashchange', render);
render();
