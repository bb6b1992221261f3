// Server-sent events by fetch: an EventSource cannot send the token.
import { Problem, get, open } from './api.js';

const SILENCE = 15_000; // the service says something every second
const LONGEST_WAIT = 15_000;
const POLL = 5_000;

/**
 * Listens until the signal ends it, and comes back after each end of the stream.
 *
 * @param {object} on `overview(data)`, `state('live' | 'lost' | 'polling' | 'outage')`, `refused(problem)`
 */
export async function listen(on, signal) {
  let wait = 1_000;
  while (!signal.aborted) {
    try {
      await follow(on, signal, () => {
        wait = 1_000;
      });
    } catch (failure) {
      if (signal.aborted) {
        return;
      }
      if (failure instanceof Problem && failure.status === 429) {
        await poll(on, signal);
      } else if (failure instanceof Problem && failure.status >= 400 && failure.status < 500) {
        on.refused(failure);
        return;
      }
    }
    on.state('lost');
    await rest(wait, signal);
    wait = Math.min(wait * 2, LONGEST_WAIT);
  }
}

async function follow(on, signal, alive) {
  const silence = new AbortController();
  let timer;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), SILENCE);
  };
  heard();
  try {
    const both = AbortSignal.any([signal, silence.signal]);
    const answer = await open('GET', '/console/api/overview/live', undefined, both, 'text/event-stream');
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        return;
      }
      heard();
      alive();
      const blocks = (text + value).split('\n\n');
      text = blocks.pop();
      blocks.forEach((block) => tell(block, on));
    }
  } finally {
    clearTimeout(timer);
  }
}

function tell(block, on) {
  const event = /^event: (.*)$/m.exec(block)?.[1];
  if (event === 'overview') {
    on.state('live');
    on.overview(JSON.parse(/^data: (.*)$/m.exec(block)[1]));
  } else if (event === 'outage') {
    on.state('outage');
  }
}

/** Where all places to listen are taken: asks instead, for a minute. */
async function poll(on, signal) {
  for (let i = 0; i < 12 && !signal.aborted; i++) {
    on.overview(await get('/console/api/overview', signal));
    on.state('polling');
    await rest(POLL, signal);
  }
}

const rest = (millis, signal) =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, millis);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
