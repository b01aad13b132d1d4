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
  ui,
} from '@millrace/core';
import { z } from 'zod';

/** With more frames at the same time, the called services and the database are the bottleneck. */
const maxConcurrency = 1000;

const wholeNumber = (least: number, most: number) => expressible(z.int().min(least).max(most));

const config = z.strictObject({
  items: expressible(z.array(z.json()))
    .describe('The list, usually as an expression. Default: the input.')
    .meta({ examples: ['{{ fetch.result.customers }}'] })
    .optional(),
  concurrency: wholeNumber(1, maxConcurrency)
    .describe(
      `The number of items that are processed at the same time, at most ${maxConcurrency}; 1 means one after the other.`,
    )
    .meta({ default: 1, examples: [5] })
    .optional(),
  batch_size: wholeNumber(1, 1_000_000)
    .describe(
      'Splits the list into lists of this many items: `loop.item` is then such a list; the last one may be shorter.',
    )
    .meta({ ...ui({ advanced: true }), examples: [100] })
    .optional(),
  on_error: z
    .enum(['stop', 'continue'])
    .describe(
      'What happens if an item fails: the loop fails (`stop`, the default), or the result of the item is null and ' +
        '`errors` contains it (`continue`).',
    )
    .meta({ default: 'stop', examples: ['continue'] })
    .optional(),
  max_iterations: wholeNumber(0, 1_000_000)
    .describe('The maximum number of iterations. If the list needs more, the step fails before the first iteration.')
    .meta({ ...ui({ advanced: true }), examples: [1000] })
    .optional(),
});

export const loop = defineComponent({
  type: 'loop',
  label: 'Loop',
  category: 'Logic',
  icon: 'repeat',
  color: '#6366f1',
  description: `Runs other nodes once for each item of a list. An edge labelled \`loop_body\` leads to the first of these nodes,
and an edge labelled \`loop_return\` leads from the last of them back to the loop; the nodes between are the body. The
other edges of the loop are followed once, after the last item.

Use it if a node handles one thing at a time: a request for each customer, a model's answer for each ticket. In the
body, \`loop.item\` is the item, \`loop.index\` its position (starting at 0) and \`loop.total\` the number of items; the first
node of the body also receives the item as its input. In nested loops, \`loop\` is the inner loop and \`loop.outer\` the loop
around it. Expressions in the body can use the nodes before the loop and those of the same iteration.

\`\`\`json
{ "items": "{{ fetch.result.customers }}", "concurrency": 5, "on_error": "continue" }
\`\`\`

\`results\` has one value per item, in the order of the items: the output of the node that returns to the loop (if there are
several, an object keyed by node id), or null if nothing returned or the item failed. Each entry of \`errors\` has \`index\`,
\`item\`, \`node_id\`, \`error\` and \`error_code\`. With \`batch_size\`, \`loop.item\` is a list, and \`loop.index\`,
\`loop.total\` and \`index\` count these lists.

The nodes of the body are retried according to their own policies. The loop itself starts again only if it has a \`retry\`
policy, and then with all items. \`on_error\` decides what happens if one item fails; it replaces the policy \`on_error\` of
other nodes. A loop that fails follows its edge labelled \`error\`; without one, the execution fails. \`timeout_seconds\` limits
the whole loop.`,
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
      description: 'The list, unless the config has one.',
    },
  ],
  outputs: [
    { name: 'results', dataType: 'array', description: 'The result of each item, in the order of the items.' },
    { name: 'errors', dataType: 'array', description: 'The items that failed, if the loop continued after them.' },
  ],
  subInputs: [],
  effect: 'pure',
  version: 1,
  config,
  // A loop's `on_error` replaces the policy of the same name.
  ownNames: ['on_error'],
  run({ input, config }) {
    const items = inBatches(config.items === undefined ? asItems(input) : asList(config.items), config.batch_size);
    const most = config.max_iterations;
    const limit = most === undefined ? null : asInteger(most, 'max_iterations', { least: 0, most: 1_000_000 });
    if (limit !== null && items.length > limit) {
      const need = `The list needs ${items.length} iterations, but 'max_iterations' is ${limit}.`;
      throw new StepError('input', `${need} Raise it, or shorten the list.`);
    }
    return {
      iterate: {
        items,
        concurrency: asInteger(config.concurrency ?? 1, 'concurrency', { least: 1, most: maxConcurrency }),
        onItemError: asOneOf(config.on_error ?? 'stop', 'on_error', ['stop', 'continue']),
      },
    };
  },
});

/** The list that an expression returned. */
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
