import {
  asNumber,
  asText,
  defineComponent,
  expressible,
  type Instant,
  type Json,
  jsonKind,
  StepError,
  textOf,
  ui,
} from '@millrace/core';
import { DateTime, type DateTimeOptions, FixedOffsetZone, type Zone } from 'luxon';
import { z } from 'zod';
import { timeFormatIssue } from './schedule/time-format.ts';
import { withNow } from './schedule/with-now.ts';
import { zoneNamed } from './schedule/zone-named.ts';

/** Longer than any real time or format: the work of the parser grows with both. */
const maxTextLength = 100;
/** Names of months and days must not depend on where the service runs. */
const locale = 'en';
const units = ['milliseconds', 'seconds', 'minutes', 'hours', 'days', 'weeks', 'months', 'years'] as const;

const time = z.union([z.string().min(1), z.number()]);

const config = z.strictObject({
  operation: z
    .enum(['now', 'parse', 'format', 'add', 'difference'])
    .describe('The operation, as described above.')
    .meta({ default: 'now', examples: ['add'] })
    .optional(),
  value: time
    .describe('The time to work on: ISO 8601 text, or milliseconds since 1970. Default: the input.')
    .meta({
      ...ui({ when: { operation: ['parse', 'format', 'add', 'difference'] } }),
      examples: ['2026-03-20T10:00:00Z'],
    })
    .optional(),
  until: time
    .describe('The end time of `difference`. Default: now.')
    .meta({ ...ui({ when: { operation: ['difference'] } }), examples: ['{{ trigger.payload.due_at }}'] })
    .optional(),
  format: z
    .string()
    .min(1)
    .describe('The format of the time, e.g. `dd.MM.yyyy HH:mm` (Luxon tokens). Default: ISO 8601.')
    .meta({ ...ui({ when: { operation: ['now', 'parse', 'format', 'add'] } }), examples: ['dd.MM.yyyy HH:mm'] })
    .optional(),
  timezone: z
    .string()
    .min(1)
    .describe('The time zone of the result, e.g. `Europe/Berlin`, and of values that contain no time zone.')
    .meta({ ...ui({ widget: 'timezone' }), default: 'UTC', examples: ['Europe/Berlin'] })
    .optional(),
  amount: expressible(z.number())
    .describe('The amount that `add` adds; a negative one is subtracted.')
    .meta({ ...ui({ when: { operation: ['add'] } }), examples: [2] })
    .optional(),
  unit: z
    .enum(units)
    .describe('The unit of `add` and `difference`.')
    .meta({ ...ui({ when: { operation: ['add', 'difference'] } }), default: 'days', examples: ['weeks'] })
    .optional(),
});

type Config = z.infer<typeof config>;

export const datetime = defineComponent({
  type: 'datetime',
  label: 'Date & Time',
  category: 'Tools',
  icon: 'calendar-clock',
  color: '#10b981',
  description: `Works with dates and times in any time zone, including daylight saving time. A local time that occurs twice,
because the clock is turned back, is its first occurrence unless the value contains an offset; one that the clock skips is
later by as much as is skipped. The day of a value without one, such as \`10:30\`, is the day of this step in the time zone; a
month or year that is missing is the current one too.

- \`now\`: the time of this step.
- \`parse\`: reads a value written in \`format\` and outputs it as ISO 8601.
- \`format\`: writes a time in \`format\`.
- \`add\`: adds \`amount\` in \`unit\` to a time. A day is a calendar day, which has 23 or 25 hours when the clocks change.
- \`difference\`: the time from \`value\` to \`until\`, as a number in \`unit\`.

Two weeks after an order, in the date format of Germany:

\`\`\`json
{
  "operation": "add",
  "value": "{{ trigger.payload.ordered_at }}",
  "amount": 2,
  "unit": "weeks",
  "timezone": "Europe/Berlin",
  "format": "dd.MM.yyyy"
}
\`\`\``,
  errors: ['config', 'input'],
  example: {
    workflow: `name: Return deadline
trigger: manual
steps:
  - id: deadline
    type: datetime
    operation: add
    value: "{{ trigger.payload.ordered_at }}"
    amount: 2
    unit: weeks
    timezone: Europe/Berlin
    format: dd.MM.yyyy
`,
    tests: `tests:
  - name: The deadline is two weeks later
    payload: {ordered_at: "2026-03-20T10:00:00Z"}
    expect: {final_output: 03.04.2026}
`,
  },
  inputs: [
    {
      name: 'input',
      dataType: 'any',
      required: false,
      suppliedBy: ['value'],
      description: 'The time to work on, unless the config has one.',
    },
  ],
  outputs: [
    { name: 'result', dataType: 'text', description: 'The time, or the difference as a number, as text.' },
    { name: 'tool', dataType: 'tool', description: 'The same operations as a tool for agents.' },
  ],
  subInputs: [],
  // Not `pure`: it reads the clock, so its result must be stored.
  effect: 'idempotent',
  tool: {
    description:
      'The current time, and calculations with times: now, parse, format, add (an amount of a unit), difference (value to until).',
    fills: ['operation', 'value', 'until', 'format', 'timezone', 'amount', 'unit'],
  },
  version: 1,
  config,
  issues: ({ format }) => {
    const issue = typeof format !== 'string' || format.includes('{{') ? null : timeFormatIssue(format);
    return issue === null ? [] : [{ path: ['format'], severity: 'error', message: formatMessage(issue) }];
  },
  run({ input, config, ctx }) {
    const now = ctx.now();
    return { outputs: { result: withNow(now, () => calculate({ input, config, now })) } };
  },
});

interface Task {
  readonly input: Json;
  readonly config: Config;
  readonly now: Instant;
}

function calculate({ input, config, now }: Task): string {
  const zone = config.timezone === undefined ? 'utc' : zoneOf(config.timezone);
  const format = config.format === undefined ? undefined : formatOf(config.format);
  const unit = config.unit ?? 'days';
  const given = (): Given =>
    config.value === undefined ? { time: input, name: 'the input' } : { time: config.value, name: "'value'" };
  switch (config.operation ?? 'now') {
    case 'now':
      return write(DateTime.fromMillis(now, { zone, locale }), format);
    case 'parse':
      return write(read(given(), zone, format));
    case 'format':
      return write(read(given(), zone), format);
    case 'add':
      return write(read(given(), zone).plus({ [unit]: asNumber(config.amount, 'amount') }), format);
    case 'difference': {
      const until = read({ time: config.until ?? now, name: "'until'" }, zone);
      return String(until.diff(read(given(), zone), unit).as(unit));
    }
  }
}

function zoneOf(timezone: unknown): Zone {
  const name = shortText(timezone, 'timezone');
  const zone = zoneNamed(name);
  if (zone !== null) return zone;
  const offset = FixedOffsetZone.parseSpecifier(name);
  if (offset !== null) return offset;
  throw new StepError('config', "'timezone' is not a time zone: use a name such as Europe/Berlin, UTC or UTC+2.");
}

interface Given {
  readonly time: unknown;
  readonly name: string;
}

function read({ time, name }: Given, zone: Zone | 'utc', format?: string): DateTime {
  const read = dateTimeOf(time, { zone, locale }, format);
  if (read?.isValid) return read;
  const wanted =
    format === undefined ? 'a time (ISO 8601, or milliseconds since 1970)' : "a time that is written as in 'format'";
  throw new StepError(
    'input',
    `${name} must be ${wanted}, but it is ${typeof time === 'string' ? 'text that is not a time' : jsonKind(time)}.`,
  );
}

function dateTimeOf(time: unknown, options: DateTimeOptions, format?: string): DateTime | null {
  if (typeof time === 'number' && format === undefined) return DateTime.fromMillis(time, options);
  const text = textOf(time);
  if (text === null || text.length > maxTextLength) return null;
  // A zone in the text is kept for now: it decides which local times occur twice.
  const inOwnZone = { ...options, setZone: true };
  // Databases and people write a space where ISO 8601 has a T.
  const iso = text.trim().replace(/^(\S+) +(?=\d)/, '$1T');
  const read = format === undefined ? DateTime.fromISO(iso, inOwnZone) : DateTime.fromFormat(text, format, inOwnZone);
  const hasOffset =
    format === undefined
      ? /T.*(?:Z|[+-]\d\d(?::?\d\d)?)(?:\[[^\]]*\])?$/i.test(iso)
      : Object.hasOwn(DateTime.fromFormatExplain(text, format, options).matches ?? {}, 'Z');
  return (hasOffset ? read : firstOfTwo(read)).setZone(options.zone);
}

/** A local time that occurs twice, because the clock is turned back, is its first occurrence, as it is for schedules. */
function firstOfTwo(time: DateTime): DateTime {
  const [first = time, second = first] = time.getPossibleOffsets();
  return second < first ? second : first;
}

function write(time: DateTime, format?: string): string {
  const text = format === undefined ? time.toISO() : time.toFormat(format);
  if (text === null || !time.isValid) throw new StepError('input', 'The time is outside the supported range.');
  return text;
}

function formatOf(value: unknown): string {
  const format = shortText(value, 'format');
  const issue = timeFormatIssue(format);
  if (issue === null) return format;
  throw new StepError('config', `'format' ${formatMessage(issue)}.`);
}

function formatMessage(issue: string): string {
  return `is not the format of a time: ${issue}`;
}

function shortText(value: unknown, field: string): string {
  const text = asText(value, field);
  if (text.length <= maxTextLength) return text;
  throw new StepError('config', `'${field}' must have at most ${maxTextLength} characters.`);
}
