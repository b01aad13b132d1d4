import {
  asObject,
  defineComponent,
  formatInstant,
  type Json,
  type JsonObject,
  missedPolicies,
  overlapPolicies,
  type Timetable,
  ui,
} from '@millrace/core';
import { z } from 'zod';
import { parseCron } from './schedule/cron-pattern.ts';
import { cronTimetable } from './schedule/cron-timetable.ts';

/** Longer than any useful pattern; a list of all sixty seconds has 170 characters. */
const maxCronLength = 500;

/** A year in seconds: for less frequent dates, use a cron pattern. */
const maxInterval = 31_622_400;

const defaultZone = 'UTC';

/** More than the number of existing time zone names. */
const maxKnownZones = 2000;
/** A cache of checked names: a lookup takes as long as all other checks of a schedule. */
const knownZones = new Map<string, boolean>();

function isZone(name: string): boolean {
  const known = knownZones.get(name);
  if (known !== undefined) return known;
  const answer = findZone(name);
  if (knownZones.size < maxKnownZones) knownZones.set(name, answer);
  return answer;
}

function findZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    // Intl accepts an offset such as +02:00, but it has no daylight saving time: almost always a mistake.
    return !/^[+-]/.test(name);
  } catch {
    return false;
  }
}

/** Whether any text in it looks like an expression. When the schedule fires, no names exist yet. */
function hasExpression(value: Json): boolean {
  return JSON.stringify(value).includes('{{');
}

const config = z
  .strictObject({
    cron: z
      .string()
      .max(maxCronLength, { abort: true })
      .check((ctx) => {
        const { issue } = parseCron(ctx.value);
        if (issue !== undefined) ctx.issues.push({ code: 'custom', message: issue, input: ctx.value });
      })
      .describe(
        'When to fire, as a cron pattern: minute, hour, day of the month, month, day of the week. With six fields, the ' +
          'first is the second. `0 9 * * MON-FRI` is nine o’clock on working days. Not allowed with `interval_seconds`.',
      )
      .meta({ ...ui({ widget: 'cron' }), examples: ['0 9 * * MON-FRI'] })
      .optional(),
    interval_seconds: z
      .int()
      .min(1)
      .max(maxInterval)
      .describe(
        'The interval in seconds, counted from when the schedule was started or changed. Not allowed with `cron`.',
      )
      .meta({ ...ui({ widget: 'duration', unit: 'seconds' }), examples: [3600] })
      .optional(),
    timezone: z
      .string()
      .refine(isZone, 'must be the name of a time zone, e.g. Europe/Berlin')
      .describe('The time zone of `cron`, e.g. `Europe/Berlin`.')
      .meta({ ...ui({ widget: 'timezone' }), default: 'UTC', examples: ['Europe/Berlin'] })
      .optional(),
    missed: z
      .enum(missedPolicies)
      .describe(
        'What to do about times during which the service was down: nothing (`skip`, the default; up to a minute late is ' +
          'not missed), one run for the latest (`latest`), or one for each (`all`, at most the latest 100).',
      )
      .meta({ ...ui({ advanced: true }), default: 'skip', examples: ['latest'] })
      .optional(),
    overlap: z
      .enum(overlapPolicies)
      .describe(
        'What to do if the schedule fires while one of its runs has not ended: nothing (`skip`, the default), start a ' +
          'run after those before it have ended (`queue`, at most 100), or start a run at once (`parallel`).',
      )
      .meta({ ...ui({ advanced: true }), default: 'skip', examples: ['queue'] })
      .optional(),
    trigger_payload: z
      .record(z.string(), z.json())
      .refine((value) => !hasExpression(value), 'must not contain expressions: use them in the nodes that follow')
      .describe('The payload of each execution; it cannot contain expressions.')
      .meta({ default: {}, examples: [{ report: 'daily' }] })
      .optional(),
  })
  .refine(({ cron, interval_seconds: interval }) => cron === undefined || interval === undefined, {
    path: ['interval_seconds'],
    message: 'and cron exclude each other: set only one of them',
  });

export const triggerSchedule = defineComponent({
  type: 'trigger_schedule',
  label: 'Schedule Trigger',
  category: 'Triggers',
  icon: 'calendar-clock',
  color: '#f97316',
  description: `Starts the workflow at the times of a cron pattern in a time zone, or at a fixed interval. Each time starts exactly one
execution, even if the service is killed and restarted at that moment.

When clocks change: hours and minutes that are numbers, lists and ranges fire once for each local time. A time that is skipped
in spring fires at the moment when the clock is put forward; a time that occurs twice in autumn fires the first time. A pattern
with \`*\` or a step in its hours or minutes follows real hours.

The schedule fires while its workflow is active. \`POST …/nodes/{node_id}/schedule/pause/\` pauses it, and \`start/\` resumes it.

Nine o’clock on working days in Berlin, with one run to make up for all that were missed during a downtime:

\`\`\`json
{ "cron": "0 9 * * MON-FRI", "timezone": "Europe/Berlin", "missed": "latest", "trigger_payload": { "report": "daily" } }
\`\`\``,
  errors: [],
  example: {
    workflow: `name: Daily report
nodes:
  - id: morning
    type: trigger_schedule
    cron: 0 9 * * MON-FRI
    timezone: Europe/Berlin
    trigger_payload: {report: daily}
  - id: title
    type: template
    template: "Report {{ trigger.payload.report }}, {{ morning.timestamp }}"
edges:
  - morning -> title
`,
    tests: `tests:
  - name: It fires at nine on the next working day
    start_time: "2026-01-03T12:00:00Z"
    expect: {final_output: {contains: "daily, 2026-01-05T08:00:00"}}
`,
  },
  inputs: [],
  outputs: [
    { name: 'timestamp', dataType: 'text', description: 'The time that the execution was scheduled for, in UTC.' },
    { name: 'payload', dataType: 'object', description: 'The `trigger_payload`.' },
  ],
  subInputs: [],
  effect: 'pure',
  version: 1,
  config,
  verbatim: ['cron', 'timezone', 'trigger_payload'],
  run({ input, ctx }) {
    const { payload = {}, text = '' } = asObject(input, 'trigger');
    // A manual start has no scheduled time, so the current time is used.
    return { outputs: { timestamp: text === '' ? formatInstant(ctx.now()) : text, payload } };
  },
});

/** The timetable of a schedule's `cron`, `interval_seconds` and `timezone`; null if they set no time or are invalid. */
export function scheduleTimetable(timing: JsonObject): Timetable | null {
  const parsed = config.safeParse(timing);
  if (!parsed.success) return null;
  const { cron, interval_seconds: interval, timezone = defaultZone } = parsed.data;
  if (interval !== undefined) return intervalTimetable(interval * 1000);
  const { pattern } = parseCron(cron ?? '');
  return pattern === undefined ? null : cronTimetable(pattern, timezone);
}

function intervalTimetable(ms: number): Timetable {
  return {
    fires: () => true,
    next: (after, { anchor }) => anchor + (Math.max(0, Math.floor((after - anchor) / ms)) + 1) * ms,
    last({ from, until, anchor, limit }) {
      const newest = Math.floor((until - anchor) / ms);
      const oldest = Math.max(1, Math.ceil((from - anchor) / ms), newest - limit + 1);
      return Array.from({ length: Math.max(0, newest - oldest + 1) }, (_, index) => anchor + (oldest + index) * ms);
    },
  };
}
