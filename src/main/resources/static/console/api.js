// Calls the operators' API, as curl would.
import { askForToken, token } from './token.js';

// One above this file: the service may be behind a proxy that gives it a path of its own.
const BASE = new URL('../', import.meta.url);

/** What the service refuses with (RFC 9457), or that it does not answer. */
export class Problem extends Error {
  constructor({ title, detail, status = 0, field }) {
    super(detail ?? title);
    Object.assign(this, { title, detail, status, field });
  }
}

export const get = (path, signal) => json('GET', path, undefined, signal);
export const post = (path, body) => json('POST', path, body);
export const remove = (path) => json('DELETE', path);

async function json(method, path, body, signal) {
  const answer = await open(method, path, body, signal);
  return answer.status === 204 ? null : answer.json();
}

/** The answer, if it is a success. Asks for the token where one is needed, and again if it is refused. */
export async function open(method, path, body, signal, accept = 'application/json') {
  const sent = token();
  let answer;
  try {
    answer = await fetch(new URL(path.replace(/^\//, ''), BASE), {
      method,
      signal,
      cache: 'no-store',
      headers: {
        Accept: `${accept}, application/problem+json`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(sent ? { Authorization: `Bearer ${sent}` } : {}),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (failure) {
    if (failure.name === 'AbortError') {
      throw failure;
    }
    throw new Problem({ title: 'The service does not answer', detail: 'It may be restarting, or the network is away. Try again in a moment.' });
  }
  if (answer.status === 401 && (sent !== token() || (await askForToken(Boolean(sent))))) {
    return open(method, path, body, signal, accept);
  }
  if (!answer.ok) {
    throw await problem(answer);
  }
  return answer;
}

async function problem(answer) {
  const isProblem = answer.headers.get('Content-Type')?.startsWith('application/problem+json');
  return new Problem(isProblem ? await answer.json() : { title: `The answer has the status ${answer.status}`, status: answer.status });
}
