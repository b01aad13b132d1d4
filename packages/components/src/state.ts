import {
  asNumber,
  asOneOf,
  asText,
  defineComponent,
  expressible,
  type Json,
  type JsonObject,
  maxStateKey,
  maxStateTtl,
  type SettingIssue,
  type StateOperation,
  type Step,
  StepError,
  stateOperations,
  ui,
} from '@millrace/core';
import { z } from 'zod';

const config = z.strictObject({
  operation: expressible(z.enum(stateOperations))
    .describe('The operation on the value: `get`, `set`, `increment`, `append`, `delete`, or `first_seen`.')
    .meta({ examples: ['increment'] }),
  key: z
    .string()
    .min(1)
    .describe(`The name of the value, 1 to ${maxStateKey} characters. May contain expressions.`)
    .meta({ examples: ['counter'] }),
  value: z
    .json()
    .describe(
      'The value that `set` or `first_seen` stores, `append` appends, or `increment` adds. ' +
        'Default: for `set` and `append` the input, for `first_seen` true, for `increment` 1.',
    )
    .meta({ ...ui({ when: { operation: ['set', 'increment', 'append', 'first_seen'] } }), examples: [1] })
    .optional(),
  scope: z
    .string()
    .min(1)
    .describe(
      'The name of a state scope, in which all workflows of one owner share values. Without it, the value belongs to this workflow.',
    )
    .meta({ ...ui({ advanced: true }), examples: ['orders'] })
    .optional(),
  ttl_seconds: expressible(z.number().positive().max(maxStateTtl))
    .describe('How long `first_seen` stores the value, in seconds. Without it, the value does not expire.')
    .meta({ ...ui({ widget: 'duration', unit: 'seconds', when: { operation: ['first_seen'] } }), examples: [86400] })
    .optional(),
});

type Config = z.infer<typeof config>;

export const state = defineComponent({
  type: 'state',
  label: 'State',
  category: 'Data',
  icon: 'database',
  color: '#0f766e',
  description: `Stores values between runs: counters, cursors, lists, and keys that were already processed.

A value belongs to the workflow, or to a \`scope\` that all workflows of one owner share. It is changed in the transaction
that stores the result of the step: a crash neither loses a change nor repeats it, and concurrent runs do not overwrite each
other's changes.

| operation | effect | \`value\` |
|---|---|---|
| \`get\` | reads the value | the value, or null if there is none |
| \`set\` | stores \`value\`, or the input | the new value |
| \`increment\` | adds \`value\`, or 1; a missing value is 0 | the new number |
| \`append\` | appends \`value\`, or the input, to a list | the new list |
| \`delete\` | deletes the value | the previous value |
| \`first_seen\` | stores \`value\`, or true, if the key is new, for \`ttl_seconds\` | the value that was stored first |

\`is_new\` is true if the step created the value. A switch on \`is_new\` after \`first_seen\` handles each order once:

\`\`\`json
{ "operation": "first_seen", "key": "order-{{ trigger.payload.id }}", "ttl_seconds": 86400 }
\`\`\``,
  errors: ['config', 'input', 'state'],
  example: {
    workflow: `name: Counter
trigger: webhook
steps:
  - id: count
    type: state
    operation: increment
    key: "orders-{{ trigger.payload.customer }}"
`,
    tests: `tests:
  - name: The first order of a customer is counted
    payload: {customer: 7}
    expect:
      outputs: {count: {value: 1, is_new: true}}
`,
  },
  inputs: [{ name: 'input', dataType: 'any', required: false, description: 'The value, unless the config has one.' }],
  outputs: [
    { name: 'value', dataType: 'any', description: 'The value after the operation; for `delete`, the previous value.' },
    { name: 'is_new', dataType: 'boolean', description: 'Whether this step created the value.' },
  ],
  subInputs: [],
  // The value changes in the transaction that stores the step's fact, so an attempt that is repeated after a crash has
  // changed nothing.
  effect: 'idempotent',
  version: 1,
  config,
  issues: ttlIssues,
  run: (step) => ({
    state: {
      operation: operationOf(step.config),
      scope: step.config.scope === undefined ? null : nameIn(step.config.scope, 'scope'),
      key: nameIn(step.config.key, 'key'),
      value: newValueOf(step),
      ttlSeconds: ttlOf(step.config),
    },
  }),
});

function operationOf({ operation }: Config): StateOperation {
  return asOneOf(operation, 'operation', stateOperations);
}

function nameIn(given: Json, field: string): string {
  const name = asText(given, field);
  if (name.length >= 1 && name.length <= maxStateKey) return name;
  throw new StepError('config', `'${field}' must have 1 to ${maxStateKey} characters, but it has ${name.length}.`);
}

function newValueOf({ config, input }: Step<Config>): Json {
  if (config.value !== undefined) return config.value;
  switch (operationOf(config)) {
    case 'increment':
      return 1;
    case 'first_seen':
      return true;
    default:
      return input;
  }
}

function ttlOf({ ttl_seconds: given, operation }: Config): number | null {
  if (given === undefined) return null;
  if (operation !== 'first_seen')
    throw new StepError('config', "'ttl_seconds' is only for the operation 'first_seen': remove it.");
  const seconds = asNumber(given, 'ttl_seconds');
  if (seconds > 0 && seconds <= maxStateTtl) return seconds;
  throw new StepError('config', `'ttl_seconds' must be more than 0 and at most ${maxStateTtl}, but it is ${seconds}.`);
}

/** Reports `ttl_seconds` with an operation other than `first_seen`. */
function ttlIssues({ ttl_seconds: given, operation }: JsonObject): readonly SettingIssue[] {
  const isOpen = typeof operation === 'string' && operation.includes('{{');
  if (given === undefined || operation === 'first_seen' || isOpen) return [];
  return [
    {
      path: ['ttl_seconds'],
      isKey: true,
      severity: 'error',
      message: "is only for the operation 'first_seen': remove it",
    },
  ];
}
