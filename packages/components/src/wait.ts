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

const units = ['seconds', 'minutes', 'hours', 'days'] as const;

/** A day is 24 hours, whatever the clocks do: a wait is a length of time. */
const unitMs: Readonly<Record<(typeof units)[number], number>> = {
  seconds: 1000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
};

/** A hundred years: longer is a mistake, and far from the end of what dates can be. */
const longestMs = 100 * 365 * unitMs.days;

const config = z.strictObject({
  duration: expressible(z.number().min(0))
    .describe('How long to wait, in `unit`.')
    .meta({ examples: [2] })
    .optional(),
  unit: z
    .enum(units)
    .describe('The unit of `duration`.')
    .meta({ default: 'seconds', examples: ['days'] })
    .optional(),
  until: z
    .union([z.string().min(1), z.number()])
    .describe('The time to wait for: ISO 8601 text (UTC unless it says otherwise), or milliseconds since 1970.')
    .meta({ examples: ['2026-12-24T18:00:00Z', '{{ trigger.payload.due_at }}'] })
    .optional(),
  callback: expressible(z.boolean())
    .describe('Wait until the callback URL of this node is called, once.')
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
  description: `Waits for a length of time, until a time, or until its callback URL is called.

A waiting execution holds no worker and survives restarts: what falls due meanwhile goes on at once. The time for which it
waits does not count against the workflow's \`max_execution_seconds\`.

\`\`\`json
{ "duration": 2, "unit": "days" }
\`\`\`

With \`"callback": true\` it waits for a request: \`{{ nodes.wait_1.callback_url }}\` is the address for a
node of that name, known to every node of the run, before this one too, so that an earlier step can send it away. The first \`GET\` or \`POST\` goes on with the
request's body as the output; a second one is answered with 409. \`timeout_seconds\` ends the wait as a failure.`,
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
  inputs: [{ name: 'input', dataType: 'any', required: false, description: 'What is passed on after a time.' }],
  outputs: [
    { name: 'output', dataType: 'any', description: 'The input; after a callback the body of its request.' },
    { name: 'callback_url', dataType: 'text', description: 'The address that ends a wait for a callback.' },
  ],
  links: ['callback_url'],
  subInputs: [],
  // Not `pure`: when it began must be kept.
  effect: 'idempotent',
  version: 1,
  config,
  lacks: ({ callback = false, duration, until }) => {
    const times = [duration, until].filter((time) => time !== undefined).length;
    // What an expression says is known when the step runs; two times are too many either way.
    const isOne = typeof callback === 'string' ? times < 2 : times === (callback === true ? 0 : 1);
    return isOne ? null : "needs one of 'duration', 'until' and 'callback', and not two of them";
  },
  issues: ({ until }) => {
    const isTime = typeof until !== 'string' || until.includes('{{') || timeOf(until).isValid;
    return isTime ? [] : [{ path: ['until'], severity: 'error', message: noTime(until) }];
  },
  run({ input, config, ctx }) {
    if (config.callback !== undefined && asBoolean(config.callback, 'callback')) {
      if (config.duration !== undefined || config.until !== undefined)
        throw new StepError('config', "A wait takes one of 'callback', 'duration' and 'until'.");
      return { pause: { kind: 'callback' } };
    }
    const now = ctx.now();
    const until = endOf(config, now);
    if (until - now > longestMs) throw new StepError('config', 'A wait ends within a hundred years.');
    return until > now ? { pause: { kind: 'timer', until } } : { outputs: { output: input } };
  },
  resume({ input, pause, answer }) {
    if (answer.kind === 'call') return { outputs: { output: answer.body } };
    if (pause.kind === 'callback') {
      throw new StepError('step_timeout', 'Nobody called the callback URL within timeout_seconds.');
    }
    if (pause.kind === 'timer' && pause.isCutShort) {
      throw new StepError('step_timeout', 'The time to wait is longer than timeout_seconds.');
    }
    return { outputs: { output: input } };
  },
});

function endOf({ duration, unit = 'seconds', until }: Config, now: Instant): Instant {
  if (duration !== undefined && until === undefined) return now + asNumber(duration, 'duration') * unitMs[unit];
  if (until === undefined || duration !== undefined)
    throw new StepError('config', "A wait needs one of 'duration', 'until' and 'callback'.");
  const time = typeof until === 'number' ? DateTime.fromMillis(until) : timeOf(asText(until, 'until'));
  if (time.isValid) return time.toMillis();
  throw new StepError('config', `'until' ${noTime(until)}.`);
}

function noTime(until: unknown): string {
  return `must be a time (ISO 8601, or milliseconds since 1970), but it is ${kindOf(until)}`;
}

function timeOf(text: string): DateTime {
  return DateTime.fromISO(text.trim().slice(0, 100), { zone: 'utc' });
}

function kindOf(value: unknown): string {
  return textOf(value as never) === null ? jsonKind(value as never) : 'other text';
}
