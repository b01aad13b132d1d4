import {
  asInteger,
  asItems,
  asOneOf,
  defineComponent,
  expressible,
  isArray,
  type Json,
  jsonKind,
  StepError,
} from '@millrace/core';
import { z } from 'zod';

/** More frames at once than this gain nothing: what they reach, and the database, are the limit by then. */
const mostAtOnce = 1000;

const count = (least: number, most: number) => expressible(z.int().min(least).max(most));

const config = z.strictObject({
  items: expressible(z.array(z.json()))
    .describe('The list to go through, as a rule an expression. Default: the input.')
    .meta({ examples: ['{{ fetch.result.customers }}'] })
    .optional(),
  concurrency: count(1, mostAtOnce)
    .describe(`How many items may be under way at once, at most ${mostAtOnce}; with 1, one after the other.`)
    .meta({ default: 1, examples: [5] })
    .optional(),
  batch_size: count(1, 1_000_000)
    .describe(
      'Goes through the list in lists of so many items: `loop.item` is such a list, the last one may be shorter.',
    )
    .meta({ examples: [100] })
    .optional(),
  on_error: z
    .enum(['stop', 'continue'])
    .describe(
      'What an item that fails does: it ends the loop, which then fails (`stop`, the default), or its result is null, ' +
        'and `errors` names it (`continue`).',
    )
    .meta({ default: 'stop', examples: ['continue'] })
    .optional(),
  max_iterations: count(0, 1_000_000)
    .describe('More iterations than that, and the step fails before the first.')
    .meta({ examples: [1000] })
    .optional(),
});

export const loop = defineComponent({
  type: 'loop',
  label: 'Loop',
  category: 'Logic',
  icon: 'repeat',
  color: '#6366f1',
  description: `Runs other nodes once for each item of a list. An edge labelled \`loop_body\` leads to the first of them,
and an edge labelled \`loop_return\` from the last of them back to the loop; what is between is the body. All other
edges of the loop are taken once, when every item has been gone through.

Use it for work that one node does on one thing at a time: a request for each customer, a model's answer for each
ticket. In the body \`loop.item\` is the item, \`loop.index\` its place from 0 and \`loop.total\` how many there are; the
first node of the body also gets the item as its input. In a loop in a loop, \`loop\` is the inner one, and
\`loop.outer\` the one around it. Expressions in the body see the nodes before the loop and those of the same iteration.

\`\`\`json
{ "items": "{{ fetch.result.customers }}", "concurrency": 5, "on_error": "continue" }
\`\`\`

\`results\` has one value for each item, in their order: what the node gave that returned to the loop (of several, an
object keyed by node id), or null where nothing returned or the item failed. Each entry of \`errors\` has \`index\`,
\`item\`, \`node_id\`, \`error\` and \`error_code\`. With \`batch_size\` an item is a list of so many, and all of this
counts lists.

The nodes of the body are tried again as their own policies say. The loop itself begins anew only with a \`retry\`
policy, and then with all its items. \`on_error\` is about an item; a loop that fails takes its edge labelled \`error\`,
if it has one, and otherwise ends the run. \`timeout_seconds\` limits the loop as a whole.`,
  errors: ['config', 'input'],
  example: {
    workflow: `name: Letters
trigger: manual
steps:
  - id: customers
    type: loop
    over: "{{ trigger.payload.customers }}"
    concurrency: 2
    body:
      - id: letter
        type: template
        template: Dear {{ loop.item.name }}, you are number {{ loop.index + 1 }} of {{ loop.total }}.
`,
    tests: `tests:
  - name: Each customer gets a letter
    payload: {customers: [{name: Ada}, {name: Bo}]}
    expect:
      outputs:
        customers:
          results: ["Dear Ada, you are number 1 of 2.", "Dear Bo, you are number 2 of 2."]
          errors: []
`,
  },
  inputs: [
    {
      name: 'items',
      dataType: 'array',
      required: true,
      suppliedBy: ['items'],
      description: 'The list, unless the config names one.',
    },
  ],
  outputs: [
    { name: 'results', dataType: 'array', description: 'What returned for each item, in the order of the items.' },
    { name: 'errors', dataType: 'array', description: 'The items that failed, where the loop went on.' },
  ],
  subInputs: [],
  effect: 'pure',
  version: 1,
  config,
  ownNames: ['on_error'],
  run({ input, config }) {
    const items = inBatches(config.items === undefined ? asItems(input) : asList(config.items), config.batch_size);
    const most = config.max_iterations;
    const limit = most === undefined ? null : asInteger(most, 'max_iterations', { least: 0, most: 1_000_000 });
    if (limit !== null && items.length > limit) {
      const message = `There are ${items.length} iterations to go through, but 'max_iterations' allows ${limit}.`;
      throw new StepError('input', message);
    }
    return {
      iterate: {
        items,
        concurrency: asInteger(config.concurrency ?? 1, 'concurrency', { least: 1, most: mostAtOnce }),
        onItemError: asOneOf(config.on_error ?? 'stop', 'on_error', ['stop', 'continue']),
      },
    };
  },
});

/** The list that an expression gave. */
function asList(items: Json): readonly Json[] {
  if (isArray(items)) return items;
  throw new StepError('config', `'items' must be a list, but it is ${jsonKind(items)}.`);
}

function inBatches(items: readonly Json[], size: unknown): readonly Json[] {
  if (size === undefined) return items;
  const length = asInteger(size, 'batch_size', { least: 1, most: 1_000_000 });
  return Array.from({ length: Math.ceil(items.length / length) }, (_none, index) => {
    return items.slice(index * length, (index + 1) * length);
  });
}
