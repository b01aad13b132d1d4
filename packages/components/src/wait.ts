import {
  asBoolean,
  asNumber,
  asText,
  defineComponent,
  expressible,
  type Instant,
  jsonKind,
  StepError,
  textOf,
} from '@millrace/core';
import { DateTime } from 'luxon';
import { z } from 'zod';
import { withNow } from './schedule/with-now.ts';

const units = ['seconds', 'minutes', 'hours', 'days'] as const;

/** A day is always 24 hours, even when clocks change: a wait is a duration. */
const unitMs: Readonly<Record<(typeof units)[number], number>> = {
  seconds: 1000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
};

/**
 * The longest wait, a hundred years: a longer one is a mistake, and the end stays within the range of JavaScript dates.
 */
const longestMs = 100 * 365 * unitMs.days;

const config = z.strictObject({
  duration: expressible(z.number().min(0))
    .describe('The duration of the wait, in `unit`.')
    .meta({ examples: [2] })
    .optional(),
  unit: z
    .enum(units)
    .describe('The unit of `duration`.')
    .meta({ default: 'seconds', examples: ['days'] })
    .optional(),
  until: z
    .union([z.string().min(1), z.number()])
    .describe(
      'The time until which to wait: ISO 8601 text (UTC unless it has a time zone), or milliseconds since 1970.',
    )
    .meta({ examples: ['2026-12-24T18:00:00Z', '{{ trigger.payload.due_at }}'] })
    .optional(),
  callback: expressible(z.boolean())
    .describe('Whether to wait until the callback URL of this node is called.')
    .meta({ default: false, examples: [true] })
    .optional(),
});

type Config = z.infer<typeof config>;

export const wait = defineComponent({
  type: 'wait',
  label: 'Wait',
  category: 'Logic',
  icon: 'hourglass',
  color: '#6366f1',
  description: `Waits for a duration, until a time, or until its callback URL is called.

A waiting execution uses no process and survives restarts: if the time passes while the service is down, the execution
continues at the next start. The waiting time does not count towards the workflow's \`max_execution_seconds\`.

\`\`\`json
{ "duration": 2, "unit": "days" }
\`\`\`

With \`"callback": true\` it waits for a request to its callback URL. \`{{ nodes.wait_1.callback_url }}\` is the URL of the node
\`wait_1\`. Every node of the execution can use it, including earlier ones, so an earlier step can send it to another service. The
first \`GET\` or \`POST\` continues the execution, with the body of the request as the output; later requests are answered with
409. If \`timeout_seconds\` elapses first, the step fails.`,
  errors: ['config', 'step_timeout'],
  example: {
    workflow: `name: Reminder
trigger: manual
steps:
  - id: pause
    type: wait
    duration: 2
    unit: days
  - id: remind
    type: datetime
    operation: now
`,
    tests: `tests:
  - name: The reminder comes two days later
    start_time: "2026-05-01T08:00:00Z"
    expect: {final_output: "2026-05-03T08:00:00.000Z"}
`,
  },
  inputs: [
    {
      name: 'input',
      dataType: 'any',
      required: false,
      description: 'The value that is passed on after a duration or a time.',
    },
  ],
  outputs: [
    { name: 'output', dataType: 'any', description: 'The input; after a callback, the body of its request.' },
    { name: 'callback_url', dataType: 'text', description: 'The callback URL of this node.' },
  ],
  links: ['callback_url'],
  subInputs: [],
  // Not `pure`: the start time must be stored.
  effect: 'idempotent',
  version: 1,
  config,
  lacks: ({ callback = false, duration, until }) => {
    const times = [duration, until].filter((time) => time !== undefined).length;
    // The value of an expression is known only when the step runs; two times are too many in any case.
    const isOne = typeof callback === 'string' ? times < 2 : times === (callback === true ? 0 : 1);
    return isOne ? null : "needs exactly one of 'duration', 'until' and 'callback'";
  },
  issues: ({ until }) => {
    const isTime = typeof until !== 'string' || until.includes('{{') || timeOf(until).isValid;
    return isTime ? [] : [{ path: ['until'], severity: 'error', message: invalidTimeMessage(until) }];
  },
  run({ input, config, ctx }) {
    if (config.callback !== undefined && asBoolean(config.callback, 'callback')) {
      if (config.duration !== undefined || config.until !== undefined)
        throw new StepError('config', "A wait needs exactly one of 'duration', 'until' and 'callback'.");
      return { pause: { kind: 'callback' } };
    }
    const now = ctx.now();
    const until = endOf(config, now);
    if (until - now > longestMs) throw new StepError('config', 'A wait must end within a hundred years.');
    if (until <= now) return { outputs: { output: input } };
    return { pause: { kind: 'timer', until, ...(config.duration !== undefined && { isDuration: true }) } };
  },
  resume({ input, pause, answer }) {
    if (answer.kind === 'call') return { outputs: { output: answer.body } };
    if (pause.kind === 'callback') {
      throw new StepError('step_timeout', 'The callback URL was not called within timeout_seconds.');
    }
    if (pause.kind === 'timer' && pause.isCutShort) {
      throw new StepError('step_timeout', 'The wait is longer than timeout_seconds.');
    }
    return { outputs: { output: input } };
  },
});

function endOf({ duration, unit = 'seconds', until }: Config, now: Instant): Instant {
  if (duration !== undefined && until === undefined) return now + asNumber(duration, 'duration') * unitMs[unit];
  if (until === undefined || duration !== undefined)
    throw new StepError('config', "A wait needs exactly one of 'duration', 'until' and 'callback'.");
  const time =
    typeof until === 'number' ? DateTime.fromMillis(until) : withNow(now, () => timeOf(asText(until, 'until')));
  if (time.isValid) return time.toMillis();
  throw new StepError('config', `'until' ${invalidTimeMessage(until)}.`);
}

function invalidTimeMessage(until: unknown): string {
  return `must be a time (ISO 8601, or milliseconds since 1970), but it is ${kindOf(until)}`;
}

function timeOf(text: string): DateTime {
  // Databases and people write a space where ISO 8601 has a T.
  const iso = text.trim().replace(/^(\S+) +(?=\d)/, '$1T');
  return DateTime.fromISO(iso.slice(0, 100), { zone: 'utc' });
}

function kindOf(value: unknown): string {
  return textOf(value as never) === null ? jsonKind(value as never) : 'text that is not a time';
}
