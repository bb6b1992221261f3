// One job, followed until it is over.
import { get, post } from './api.js';
import { action } from './actions.js';
import { h, say } from './dom.js';
import { badge, time, whole } from './format.js';
import { facts, json, problem, show } from './parts.js';

const LOOK_EVERY = 1_000;
const OVER = new Set(['DONE', 'CANCELLED', 'FAILED']);

export const title = ({ parts }) => `Job ${parts[1]}`;

export function render(place, { parts }, signal) {
  const path = `/v1/jobs/${encodeURIComponent(parts[1])}`;
  const progress = h('div', {});
  const about = h('div', {});
  const buttons = h('p', { class: 'buttons' });
  place.append(progress, buttons, about);
  show(progress, () => get(path, signal), (job) => {
    update(job);
    return bar(job);
  }, signal);

  let seen;
  function update(job) {
    about.replaceChildren(details(job));
    if (OVER.has(job.state)) {
      buttons.replaceChildren();
      if (seen) {
        say(`Job ${job.id} is over: ${job.state}.`);
      }
    } else {
      if (!seen) {
        buttons.append(cancel(job));
      }
      setTimeout(() => follow(), LOOK_EVERY);
    }
    seen = job.state;
  }

  async function follow() {
    if (signal.aborted) {
      return;
    }
    try {
      const job = await get(path, signal);
      progress.replaceChildren(...bar(job));
      update(job);
    } catch (failure) {
      if (!signal.aborted) {
        progress.replaceChildren(problem(failure));
        setTimeout(() => follow(), LOOK_EVERY * 5);
      }
    }
  }
}

function bar({ state, total, done, skipped }) {
  const over = OVER.has(state);
  const known = total !== undefined && total > 0;
  return [
    h('p', {}, badge(state), ` ${whole(done)}${known ? ` of ${whole(total)}` : ''} back in the queue, ${whole(skipped)} left as they were`),
    over && !known ? null : h('progress', { 'aria-label': 'Progress', max: known ? total : null, value: known ? Math.min(total, done + skipped) : null }),
  ].filter(Boolean);
}

function details(job) {
  return facts([
    ['What', job.kind],
    ['Asked for by', job.operator],
    ['Asked for', time(job.createdAt)],
    ['Started', job.startedAt ? time(job.startedAt) : null],
    ['Finished', job.finishedAt ? time(job.finishedAt) : null],
    ['Error', job.error],
    ['Of', json(job.parameters)],
    ['Has come to', job.position ? json(job.position) : null],
  ]);
}

function cancel({ id }) {
  return action({
    id: 'cancel', label: 'Cancel job', danger: true,
    title: `Cancel job ${id}?`,
    text: 'It ends after the step that is under way. What it did stays done.',
    run: () => post(`/v1/jobs/${id}/cancel`),
    done: ({ state }) => `Job ${id} is over: ${state}.`,
  });
}
