/** A field of a cron pattern, such as the minute. */
export interface CronField {
  readonly name: string;
  readonly first: number;
  readonly last: number;
  /** What a message shows as its values. */
  readonly values: string;
  /** Names that may be written instead of numbers, from `first` on. */
  readonly names: readonly string[];
}

const minuteValues = '0 to 59, as in 0, 0,30, 0-29 or */15';

/** The fields of a pattern and their values, in lists with `,`, ranges with `-` and steps with `/`. */
export const cronFields = {
  second: { name: 'second', first: 0, last: 59, values: minuteValues, names: [] },
  minute: { name: 'minute', first: 0, last: 59, values: minuteValues, names: [] },
  hour: { name: 'hour', first: 0, last: 23, values: '0 to 23, as in 9, 9,17, 9-17 or */6', names: [] },
  day: {
    name: 'day of the month',
    first: 1,
    last: 31,
    values: '1 to 31, as in 1, 1,15, 1-7, L or 15W',
    names: [],
  },
  month: {
    name: 'month',
    first: 1,
    last: 12,
    values: '1 to 12 or JAN to DEC, as in 1, 1-6, JAN,JUL or */3',
    names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  weekday: {
    name: 'day of the week',
    first: 0,
    // 7 is Sunday too, so that MON-SUN and 1-7 are ranges.
    last: 7,
    values: '0 to 7 or SUN to SAT, as in 1-5, MON,WED, MON#1 or FRI#L',
    names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
  },
} as const satisfies Record<string, CronField>;

/** `*`, `5`, `5-9`, each with a step or without, with names instead of numbers. */
const shape = /^(?:\*|(\w+)(?:-(\w+))?)(?:\/(\d+))?$/;

/** The values of one item of a list; null if it is invalid. */
export function itemValues(item: string, field: CronField): readonly number[] | null {
  const [match, start, end, stepText] = shape.exec(item) ?? [];
  if (match === undefined) return null;
  const step = stepText === undefined ? 1 : Number(stepText);
  if (step < 1 || step > sizeOf(field)) return null;
  if (start === undefined) return stepped(field, { from: field.first, until: lastOf(field), step });
  const from = numberOf(start, field);
  const until = end === undefined ? defaultEnd(from, stepText, field) : endOf(end, field);
  return from === null || until === null ? null : stepped(field, { from, until, step });
}

/** The values of a field without special forms, in order; null if it is invalid. */
export function fieldValues(text: string, field: CronField): readonly number[] | null {
  const found = new Set<number>();
  for (const item of text.split(',')) {
    const values = itemValues(item, field);
    if (values === null) return null;
    for (const value of values) found.add(value);
  }
  return [...found].sort((one, other) => one - other);
}

/** A second Sunday would shift `*` with a step. */
function lastOf({ first, last, names }: CronField): number {
  return names.length === 0 ? last : first + names.length - 1;
}

function sizeOf(field: CronField): number {
  return lastOf(field) - field.first + 1;
}

/** `5/15` is 5-59/15, as in Quartz. For weekdays it is not: there, numbers and the end of the week differ. */
function defaultEnd(from: number | null, stepText: string | undefined, field: CronField): number | null {
  if (stepText === undefined) return from;
  return field.name === cronFields.weekday.name ? null : lastOf(field);
}

function numberOf(text: string, { first, names }: CronField): number | null {
  if (/^\d+$/.test(text)) return Number(text);
  const at = names.indexOf(text.toLowerCase());
  return at === -1 ? null : first + at;
}

function endOf(text: string, field: CronField): number | null {
  return text.toLowerCase() === 'sun' && field.name === cronFields.weekday.name ? field.last : numberOf(text, field);
}

interface Range {
  readonly from: number;
  readonly until: number;
  readonly step: number;
}

function stepped({ first, last }: CronField, { from, until, step }: Range): readonly number[] | null {
  if (from > until) return null;
  const values: number[] = [];
  for (let value = from; value <= until; value += step) {
    if (value < first || value > last) return null;
    values.push(value);
  }
  return values;
}
