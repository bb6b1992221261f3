// Numbers with their units, for people.
import { h } from './dom.js';

const WHOLE = new Intl.NumberFormat('en');
const RATE = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const UNITS = [
  ['d', 86400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
];

export const count = (number, one, many = `${one}s`) => `${WHOLE.format(number)} ${number === 1 ? one : many}`;

export const whole = (number) => WHOLE.format(number);

export const perSecond = (number) => `${number >= 10 ? WHOLE.format(Math.round(number)) : RATE.format(number)}/s`;

/** Seconds as `0.3 s`, `42 s`, `5 min 3 s`, `2 h 10 min`, `3 d 4 h`; a dash for none. */
export function age(seconds) {
  if (seconds === null || seconds === undefined) {
    return '–';
  }
  if (seconds < 10) {
    return `${RATE.format(Math.max(0, seconds))} s`;
  }
  let left = Math.round(seconds);
  const parts = [];
  for (const [unit, size] of UNITS) {
    const amount = Math.floor(left / size);
    if (parts.length === 1 && amount === 0) {
      break;
    }
    if (amount > 0) {
      parts.push(`${amount} ${unit}`);
      left -= amount * size;
    }
    if (parts.length === 2) {
      break;
    }
  }
  return parts.join(' ');
}

/** An ISO 8601 duration of days to seconds, such as PT0.008S, for people. */
export function duration(iso) {
  const match = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/.exec(iso ?? '');
  if (!match) {
    return iso ?? '–';
  }
  const [days, hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0));
  const all = ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
  return all < 1 ? `${Math.round(all * 1000)} ms` : age(all);
}

/** A point in time, in the reader's zone; the exact one in the title. A dash for none. */
export function time(iso) {
  return iso ? h('time', { datetime: iso, title: iso }, new Date(iso).toLocaleString()) : '–';
}

/** From the field of a form, in the reader's zone, to what the API reads; empty stays empty. */
export const instant = (local) => (local ? new Date(local).toISOString() : '');

/** The other way round. */
export function local(iso) {
  if (!iso) {
    return '';
  }
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
}

/** WAITING as a badge; its colour goes with what it means for whoever is on call. */
export function badge(word) {
  return word ? h('span', { class: `badge ${TONES[word] ?? 'plain'}` }, word) : '–';
}

const TONES = {
  ACTIVE: 'good', ENABLED: 'good', CLOSED: 'good', DELIVERED: 'good', DONE: 'good', REDELIVERED: 'good',
  QUEUED: 'plain', RUNNING: 'busy', WAITING: 'busy', HALF_OPEN: 'busy', CANCELLED: 'plain', DISCARDED: 'plain',
  HELD: 'bad', PAUSED: 'bad', UNOWNED: 'bad', DISABLED: 'bad', OPEN: 'bad', DEAD: 'bad', FAILED: 'bad',
};
