import {
  asObject,
  defineComponent,
  formatInstant,
  type Instant,
  type Json,
  type JsonObject,
  missedPolicies,
  overlapPolicies,
  type Timetable,
} from '@millrace/core';
import { Cron } from 'croner';
import { z } from 'zod';

/** Longer than any sensible pattern; a list of all sixty seconds has 170 characters. */
const maxCronLength = 500;

/** A year: whoever wants less often, wants a date, and so a cron pattern. */
const maxInterval = 31_622_400;

/** Croner also takes ISO dates and seven parts: what is promised are five or six parts, or a nickname such as `@daily`. */
const cronShape = /^\s*(?:@[a-z]+|\S+(?:\s+\S+){4,5})\s*$/i;

const defaultZone = 'UTC';

function cronOf(pattern: string, timezone: string): Cron {
  // Paused: it is asked for times, and fires nothing itself.
  return new Cron(pattern, { timezone, paused: true, mode: '5-or-6-parts' });
}

/** Why a pattern cannot be used; null when it can. */
function cronIssue(pattern: string): string | null {
  if (!cronShape.test(pattern))
    return 'must be a cron pattern of 5 or 6 fields: [second] minute hour day month weekday';
  if (isCron(pattern)) return null;
  const parts = pattern.trim().split(/\s+/);
  if (parts.length === 1) return `must be one of ${nicknames.join(', ')}, or a cron pattern of 5 or 6 fields`;
  const names = cronFields.slice(-parts.length);
  const wrong = names.findIndex(
    (_name, at) => !isCron(names.map((_other, of) => (of === at ? parts[at] : '*')).join(' ')),
  );
  const [name, values] = names[wrong] ?? ['pattern', 'fields that fit together'];
  return `is not a cron pattern: its ${name} '${parts[wrong] ?? pattern}' must be * or made of ${values}`;
}

function isCron(pattern: string): boolean {
  try {
    cronOf(pattern, defaultZone);
    return true;
  } catch {
    return false;
  }
}

const nicknames = ['@hourly', '@daily', '@weekly', '@monthly', '@yearly'];

/** The fields of a pattern, and what each may be made of: in lists with `,`, ranges with `-` and steps with `/`. */
const cronFields = [
  ['second', '0 to 59, as in 0, 0,30, 0-29 or */15'],
  ['minute', '0 to 59, as in 0, 0,30, 0-29 or */15'],
  ['hour', '0 to 23, as in 9, 9,17, 9-17 or */6'],
  ['day of the month', '1 to 31, as in 1, 1,15, 1-7, L or 15W'],
  ['month', '1 to 12 or JAN to DEC, as in 1, 1-6, JAN,JUL or */3'],
  ['day of the week', '0 to 7 or SUN to SAT, as in 1-5, MON,WED, MON#1 or FRI#L'],
] as const;

/** More names of zones than there are. */
const maxKnownZones = 2000;
/** Names that were asked about: to look one up takes as long as all else that is checked of a schedule. */
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
    // An offset such as +02:00 is known to Intl, and knows no summer time: almost always a mistake.
    return !/^[+-]/.test(name);
  } catch {
    return false;
  }
}

/** Whether a text in it looks like an expression: nothing is there yet that one could name when the clock fires. */
function hasExpression(value: Json): boolean {
  return JSON.stringify(value).includes('{{');
}

const config = z
  .strictObject({
    cron: z
      .string()
      .max(maxCronLength, { abort: true })
      .check((ctx) => {
        const message = cronIssue(ctx.value);
        if (message !== null) ctx.issues.push({ code: 'custom', message, input: ctx.value });
      })
      .describe(
        'When to fire, as a cron pattern: minute, hour, day of the month, month, day of the week; of six fields the first ' +
          'is the second. `0 9 * * MON-FRI` is nine o’clock on working days. Not together with `interval_seconds`.',
      )
      .meta({ examples: ['0 9 * * MON-FRI'] })
      .optional(),
    interval_seconds: z
      .int()
      .min(1)
      .max(maxInterval)
      .describe(
        'Fires each time so many seconds have passed since the schedule was started or changed. Not together with `cron`.',
      )
      .meta({ examples: [3600] })
      .optional(),
    timezone: z
      .string()
      .refine(isZone, 'must be the name of a time zone, e.g. Europe/Berlin')
      .describe('The time zone of `cron`, e.g. `Europe/Berlin`.')
      .meta({ default: 'UTC', examples: ['Europe/Berlin'] })
      .optional(),
    missed: z
      .enum(missedPolicies)
      .describe(
        'What becomes of fires that fell into a time when the service was down: nothing (`skip`, the default; up to a minute ' +
          'late is not missed), one run for the latest (`latest`), or one for each (`all`, at most the latest 100).',
      )
      .meta({ default: 'skip', examples: ['latest'] })
      .optional(),
    overlap: z
      .enum(overlapPolicies)
      .describe(
        'What becomes of a fire while a run of this schedule has not ended: nothing (`skip`, the default), a run that ' +
          'waits until those before it have ended (`queue`, at most 100), or a run beside it (`parallel`).',
      )
      .meta({ default: 'skip', examples: ['queue'] })
      .optional(),
    trigger_payload: z
      .record(z.string(), z.json())
      .refine((value) => !hasExpression(value), 'holds no expressions: put them into the nodes that follow')
      .describe('The payload of each run, as it stands here.')
      .meta({ default: {}, examples: [{ report: 'daily' }] })
      .optional(),
  })
  .refine(({ cron, interval_seconds: interval }) => cron === undefined || interval === undefined, {
    path: ['interval_seconds'],
    message: 'and cron exclude each other: give one of them',
  });

export const triggerSchedule = defineComponent({
  type: 'trigger_schedule',
  label: 'Schedule Trigger',
  category: 'Triggers',
  icon: 'calendar-clock',
  color: '#f97316',
  description: `Starts the workflow by the clock: at the times of a cron pattern in a time zone, or each time so many
seconds have passed. Each time starts one run, also when the service is killed and started again at that moment.

Where clocks change: a time that does not exist on the day in spring fires at the moment when the clock is put forward; one
that exists twice in autumn fires once. A pattern that fires every hour, or more often, fires by the real hours.

It fires while its workflow is active. \`POST …/nodes/{node_id}/schedule/pause/\` and \`start/\` interrupt it.

Nine o’clock on working days in Berlin, and one run to make up for those that fell into a downtime:

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
    { name: 'timestamp', dataType: 'text', description: 'The time that the run was scheduled for, in UTC.' },
    { name: 'payload', dataType: 'object', description: 'The `trigger_payload`.' },
  ],
  subInputs: [],
  effect: 'pure',
  version: 1,
  config,
  verbatim: ['cron', 'timezone', 'trigger_payload'],
  run({ input, ctx }) {
    const { payload = {}, text = '' } = asObject(input, 'trigger');
    // Started by hand, it has no time but the present.
    return { outputs: { timestamp: text === '' ? formatInstant(ctx.now()) : text, payload } };
  },
});

/** The timetable of a schedule's `cron`, `interval_seconds` and `timezone`; null when they name no time, or none that can be. */
export function scheduleTimetable(timing: JsonObject): Timetable | null {
  const parsed = config.safeParse(timing);
  if (!parsed.success) return null;
  const { cron, interval_seconds: interval, timezone = defaultZone } = parsed.data;
  if (cron !== undefined) return cronTimetable(cron, timezone);
  return interval === undefined ? null : intervalTimetable(interval * 1000);
}

/**
 * From here croner looks until the year 3000, where it gives up. Of the dates that exist the rarest, a leap day on one
 * weekday, comes every 28 years: what is not found here is nowhere, and found out in a few milliseconds.
 */
const searchedFrom = new Date(Date.UTC(2971, 0, 1));

function cronTimetable(pattern: string, timezone: string): Timetable {
  const cron = cronOf(pattern, timezone);
  return {
    // A date that exists, exists in every zone; in this one it is found sooner.
    fires: () => cronOf(pattern, defaultZone).nextRun(searchedFrom) !== null,
    next: (after, { lastFire }) => cron.nextRun(new Date(Math.max(after, lastFire ?? after)))?.getTime() ?? null,
    last({ from, until, limit }) {
      const found: Instant[] = [];
      // A cron fires at whole seconds. One by one: as a rule there is one only, and each takes half a millisecond.
      for (let before = until + 1000; found.length < limit; ) {
        const at = cron.previousRuns(1, new Date(before))[0]?.getTime();
        if (at === undefined || at < from) break;
        if (at <= until) found.push(at);
        before = at;
      }
      return found.reverse();
    },
  };
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
