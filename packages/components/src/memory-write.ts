import {
  defineComponent,
  exceedsFact,
  type JsonObject,
  maxFactKey,
  maxFactValue,
  type SettingIssue,
  type Step,
  StepError,
  ui,
} from '@millrace/core';
import { z } from 'zod';
import { factKeyIn, factSpaceIssues, factSpaceKeys, spaceIn } from './facts/fact-space.ts';

const config = z.strictObject({
  ...factSpaceKeys,
  mode: z
    .enum(['set', 'delete'])
    .describe('Whether the fact is stored or deleted.')
    .meta({ default: 'set', examples: ['delete'] })
    .optional(),
  key: z
    .string()
    .min(1)
    .describe(
      `The name of the fact, 1 to ${maxFactKey} characters; a fact with this key is replaced. Default: a key of its own for each step.`,
    )
    .meta({ examples: ['favourite_colour'] })
    .optional(),
  value: z
    .json()
    .describe(`What to remember: any JSON of at most ${maxFactValue} characters. Default: the input.`)
    .meta({ ...ui({ when: { mode: ['set'] } }), examples: ['{{ trigger.payload.colour }}'] })
    .optional(),
});

type Config = z.infer<typeof config>;

export const memoryWrite = defineComponent({
  type: 'memory_write',
  label: 'Memory Write',
  category: 'Memory',
  icon: 'notebook-pen',
  color: '#f59e0b',
  description: `Stores a fact that later executions read with \`memory_read\`, or deletes it.

A \`scope\` says who shares the fact: the executions of this workflow (\`workflow\`), all workflows of its owner (\`global\`), or what
the owner's workflows know about one person (\`user\`, with \`user_id\`). The facts of a workflow are deleted with it.

A fact with the same \`key\` is replaced. Without a \`key\`, each step adds a fact of its own, whose key is the step's
Idempotency-Key: an attempt that is repeated after a crash writes the same fact again, and does not add a second one. \`result\`
is the key.

\`\`\`json
{ "scope": "user", "user_id": "{{ person.user_id }}", "key": "language", "value": "{{ trigger.payload.language }}" }
\`\`\`

As a tool of an agent, the model may fill \`key\` and \`value\`. It can never choose the scope or the \`user_id\`. Set \`key\` in the
config to let it write that one fact only.`,
  errors: ['config', 'memory'],
  example: {
    workflow: `name: Notes
trigger: manual
model: {model_name: some-model}
steps:
  - id: assistant
    type: agent
    prompt: Remember what the user asks you to remember.
    input: "{{ trigger.payload.message }}"
    tools: [{id: remember, type: memory_write}]
  - id: stored
    type: memory_read
    key: favourite colour
`,
    tests: `tests:
  - name: The model stores a fact
    payload: {message: My favourite colour is green.}
    models:
      - node: assistant
        calls: [{tool: remember, arguments: {key: favourite colour, value: green}}]
      - {node: assistant, input: favourite colour, answer: I will remember that.}
    expect:
      outputs: {assistant: {output: I will remember that.}, stored: {result: green}}
`,
  },
  inputs: [
    {
      name: 'value',
      dataType: 'any',
      required: true,
      suppliedBy: ['value'],
      description: 'What to remember, unless the config has a value.',
    },
  ],
  outputs: [
    { name: 'result', dataType: 'text', description: 'The key of the fact.' },
    { name: 'tool', dataType: 'tool', description: 'Writing facts as a tool for agents.' },
  ],
  subInputs: [],
  // A fact that is written again is the same fact.
  effect: 'idempotent',
  tool: {
    description: 'Stores a fact under a key, so that it can be read later. A fact with the same key is replaced.',
    fills: ['key', 'value'],
    requires: ['value'],
    fillsWith: ({ mode }) =>
      mode === 'delete' ? { fills: ['key'], requires: ['key'] } : { fills: ['key', 'value'], requires: ['value'] },
  },
  version: 1,
  config,
  lacks: ({ scope, user_id: userId }) =>
    scope === 'user' && userId === undefined ? "needs 'user_id': whose fact it is" : null,
  issues: (given) => [...factSpaceIssues(given), ...valueIssues(given)],
  run: write,
});

async function write({ input, config, ctx }: Step<Config>) {
  const space = spaceIn(config);
  if (config.mode === 'delete') {
    if (config.key === undefined) throw new StepError('config', "'key' is missing: set which fact to delete.");
    const key = factKeyIn(config.key);
    await ctx.facts.remove(space, key);
    return { outputs: { result: key } };
  }
  const value = config.value === undefined ? input : config.value;
  const key = config.key === undefined ? ctx.idempotencyKey : factKeyIn(config.key);
  if (exceedsFact(value))
    throw new StepError('memory', `The fact '${key}' would be longer than ${maxFactValue} characters as JSON.`);
  await ctx.facts.put(space, { key, value });
  return { outputs: { result: key } };
}

/** Reports a `value` that would be deleted, not stored. */
function valueIssues({ mode, value }: JsonObject): readonly SettingIssue[] {
  if (mode !== 'delete' || value === undefined) return [];
  const message = "is only for the mode 'set': remove it";
  return [{ path: ['value'], isKey: true, severity: 'error', message }];
}
