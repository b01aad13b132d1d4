import { momentOf } from '../../base/moment.ts';
import type { Json } from '../../json.ts';
import type { Instant } from '../../time.ts';
import type { Evaluation } from '../evaluation.ts';
import { text } from './arguments.ts';
import type { Filter } from './filter.ts';

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** The range of JavaScript's dates, in milliseconds since 1970. */
const furthest = 8.64e15;

/** The meaning of each letter group of a format, always in UTC. */
const tokens: ReadonlyMap<string, (date: Date) => string> = new Map([
  ['yyyy', (date: Date) => digits(date.getUTCFullYear(), 4)],
  ['yy', (date: Date) => digits(date.getUTCFullYear() % 100, 2)],
  ['MMMM', (date: Date) => months[date.getUTCMonth()] ?? ''],
  ['MMM', (date: Date) => months[date.getUTCMonth()]?.slice(0, 3) ?? ''],
  ['MM', (date: Date) => digits(date.getUTCMonth() + 1, 2)],
  ['M', (date: Date) => String(date.getUTCMonth() + 1)],
  ['dd', (date: Date) => digits(date.getUTCDate(), 2)],
  ['d', (date: Date) => String(date.getUTCDate())],
  ['EEEE', (date: Date) => days[date.getUTCDay()] ?? ''],
  ['EEE', (date: Date) => days[date.getUTCDay()]?.slice(0, 3) ?? ''],
  ['HH', (date: Date) => digits(date.getUTCHours(), 2)],
  ['H', (date: Date) => String(date.getUTCHours())],
  ['hh', (date: Date) => digits(twelveHour(date), 2)],
  ['h', (date: Date) => String(twelveHour(date))],
  ['mm', (date: Date) => digits(date.getUTCMinutes(), 2)],
  ['m', (date: Date) => String(date.getUTCMinutes())],
  ['ss', (date: Date) => digits(date.getUTCSeconds(), 2)],
  ['s', (date: Date) => String(date.getUTCSeconds())],
  ['SSS', (date: Date) => digits(date.getUTCMilliseconds(), 3)],
  ['a', (date: Date) => (date.getUTCHours() < 12 ? 'AM' : 'PM')],
  // Common in ISO formats, where authors rarely quote them.
  ['T', () => 'T'],
  ['Z', () => 'Z'],
]);

function digits(value: number, width: number): string {
  return value < 0 ? `-${digits(-value, width)}` : String(value).padStart(width, '0');
}

function twelveHour(date: Date): number {
  return date.getUTCHours() % 12 || 12;
}

/** Text in quotes, a run of one letter, or anything else; `''` is a literal quote, also inside quotes. */
const formatPart = /'(?:[^']|'')*'|([a-zA-Z])\1*|[^a-zA-Z']+|'/g;

function formatted(at: Instant, format: string, evaluation: Evaluation): string {
  const date = new Date(at);
  const parts = format.match(formatPart) ?? [];
  evaluation.spend(parts.length);
  if (hasMinutesForMonth(parts))
    evaluation.fail("The date format has minutes, 'mm', where a month seems meant: write MM.");
  return parts
    .map((part) => {
      if (part === "''") return "'";
      if (part === "'") return evaluation.fail("The date format has no closing '.");
      if (part.startsWith("'")) return part.slice(1, -1).replaceAll("''", "'");
      const write = tokens.get(part);
      if (write !== undefined) return write(date);
      if (!/[a-zA-Z]/.test(part)) return part;
      const known = [...tokens.keys()].slice(0, -2).join(' ');
      return evaluation.fail(
        `The date format does not support '${part.slice(0, 9)}'; it supports ${known}, and text in '…'.`,
      );
    })
    .join('');
}

/** `yyyy-mm-dd`: minutes have no meaning beside a day without a month and an hour. */
function hasMinutesForMonth(parts: readonly string[]): boolean {
  const has = (letters: string): boolean => parts.some((part) => letters.includes(part.charAt(0)));
  return has('m') && has('y') && has('d') && !has('M') && !has('Hh');
}

function momentIn(value: Json, evaluation: Evaluation): Instant {
  if (value === 'now') return evaluation.now ?? evaluation.fail("'now' has no value here.");
  const moment = momentOf(value);
  if (moment !== null && Math.abs(moment) <= furthest) return moment;
  evaluation.fail("The input of 'date' must be an ISO 8601 date, milliseconds since 1970, or 'now'.");
}

/** A point in time as text. */
export const date: Filter = {
  name: 'date',
  parameters: [{ name: 'format', default: 'yyyy-MM-dd' }],
  description:
    "A time as text in UTC. The input is an ISO 8601 text, milliseconds since 1970, or `'now'`: the time when the step could first begin, the same in each attempt so that a repeated attempt sends the same data. `format` uses yyyy yy MMMM MMM MM M dd d EEEE EEE HH H hh h mm m ss s SSS a, and literal text in '…'.",
  apply(value, args, evaluation) {
    const format = text(args[0], "'format'", evaluation);
    evaluation.spend(format.length);
    return formatted(momentIn(value, evaluation), format, evaluation);
  },
};
