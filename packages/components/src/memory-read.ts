import {
  asInteger,
  asText,
  defineComponent,
  expressible,
  type Json,
  type JsonObject,
  type MemoryFact,
  maxFactQuery,
  type Step,
  StepError,
} from '@millrace/core';
import { z } from 'zod';
import { factKeyIn, factSpaceIssues, factSpaceKeys, spaceIn } from './facts/fact-space.ts';

const defaultLimit = 10;
/** A model reads all of them. */
const maxLimit = 50;

const config = z.strictObject({
  ...factSpaceKeys,
  key: z
    .string()
    .min(1)
    .describe('The key of the one fact to read. Without it, the node outputs a list.')
    .meta({ examples: ['favourite_colour'] })
    .optional(),
  query: z
    .string()
    .max(maxFactQuery)
    .describe(
      `The words to search for, at most ${maxFactQuery} characters. Facts that have one of them are found; an empty text lists the newest facts. Default: the input text.`,
    )
    .meta({ examples: ['{{ trigger.payload.question }}'] })
    .optional(),
  limit: expressible(z.int().min(1).max(maxLimit))
    .describe('The largest number of facts to output.')
    .meta({ default: defaultLimit, examples: [5] })
    .optional(),
});

type Config = z.infer<typeof config>;

export const memoryRead = defineComponent({
  type: 'memory_read',
  label: 'Memory Read',
  category: 'Memory',
  icon: 'book-open',
  color: '#f59e0b',
  description: `Reads facts that a \`memory_write\` has stored, also in earlier executions.

A \`scope\` says who shares a fact: the executions of this workflow (\`workflow\`), all workflows of its owner (\`global\`), or what
the owner's workflows know about one person (\`user\`, with \`user_id\`). \`identify_user\` gives such an id; any other text is one, too.

With \`key\`, \`result\` is the value of that fact, or null. Without it, \`result\` is a list of objects with \`key\`, \`value\` and
\`updated_at\`: the facts that have at least one word of \`query\`, the best first, or without a query the newest. A search ignores
case and accents and finds whole words: \`order\` does not find \`orders\`.

\`\`\`json
{ "scope": "user", "user_id": "{{ person.user_id }}", "query": "{{ trigger.text }}", "limit": 5 }
\`\`\`

As a tool of an agent, the model may fill \`query\` and \`key\`. It can never choose the scope or the \`user_id\`.`,
  errors: ['config', 'input'],
  example: {
    workflow: `name: Remember colours
trigger: webhook
steps:
  - id: store
    type: memory_write
    key: "colour of {{ trigger.payload.name }}"
    value: "{{ trigger.payload.colour }}"
  - id: search
    type: memory_read
    query: "{{ trigger.payload.name }}"
`,
    tests: `tests:
  - name: A stored colour is found by the name
    payload: {name: Zoë, colour: green}
    expect:
      outputs: {search: {result: {contains: [{contains: {key: colour of Zoë, value: green}}]}}}
`,
  },
  inputs: [
    {
      name: 'query',
      dataType: 'text',
      required: false,
      suppliedBy: ['query', 'key'],
      isTextOnly: true,
      description: 'The words to search for, unless the config has a `query` or a `key`.',
    },
  ],
  outputs: [
    {
      name: 'result',
      dataType: 'any',
      description: 'The value of the fact with the `key`, otherwise a list of facts.',
    },
    { name: 'tool', dataType: 'tool', description: 'The facts as a tool for agents.' },
  ],
  subInputs: [],
  // Facts change, so the result must be stored.
  effect: 'idempotent',
  tool: {
    description:
      'Reads stored facts: the one with a key, those that have a word of the query, or without both the newest ones.',
    fills: ['query', 'key'],
  },
  version: 1,
  config,
  lacks: ({ scope, user_id: userId }) =>
    scope === 'user' && userId === undefined ? "needs 'user_id': whose facts to read" : null,
  issues: factSpaceIssues,
  run: (step) => read(step, queryOf(step)),
  // The input of a call is its arguments, which are in the config.
  call: (step) => read(step, step.config.query ?? ''),
});

async function read({ config, ctx }: Step<Config>, query: string) {
  const space = spaceIn(config);
  if (config.key !== undefined) {
    const fact = await ctx.facts.find(space, factKeyIn(config.key));
    return { outputs: { result: fact?.value ?? null } };
  }
  if (query.length > maxFactQuery) {
    const message = `'query' must have at most ${maxFactQuery} characters, but it has ${query.length}.`;
    throw new StepError('config', message);
  }
  const limit = asInteger(config.limit ?? defaultLimit, 'limit', { least: 1, most: maxLimit });
  const facts = await ctx.facts.list(space, { query: query.trim() === '' ? null : query, limit });
  return { outputs: { result: facts.map(shownFact) } };
}

function queryOf({ input, config }: Step<Config>): string {
  if (config.query !== undefined) return asText(config.query, 'query');
  if (config.key !== undefined || input === null) return '';
  if (typeof input === 'string') return input;
  throw new StepError('input', "The input must be text to search for: set 'query', or 'key' to read one fact.");
}

function shownFact({ key, value, updatedAt }: MemoryFact): JsonObject {
  return { key, value, updated_at: new Date(updatedAt).toISOString() } satisfies Record<string, Json>;
}
