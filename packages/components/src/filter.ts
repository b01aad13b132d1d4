import {
  asItems,
  defineComponent,
  ItemScope,
  type Json,
  type Rule,
  ruleHolds,
  rules,
  type SlicedWork,
  type StepContext,
  type StepResult,
  ui,
} from '@millrace/core';
import { z } from 'zod';

const config = z.strictObject({
  rules: rules
    .describe(
      'The rules that an item must meet, all of them. A `field` is a path inside the item, e.g. `address.city`; ' +
        '`item` is the item itself.',
    )
    .meta({
      ...ui({ widget: 'item_rules' }),
      default: [],
      examples: [[{ id: 'country', label: 'from France', field: 'address.country', operator: 'equals', value: 'FR' }]],
    })
    .optional(),
});

export const filter = defineComponent({
  type: 'filter',
  label: 'Filter',
  category: 'Logic',
  icon: 'funnel',
  color: '#6366f1',
  description: `Splits a list into the items that meet every rule and the other items, both in their original order.

Use it to continue with only some items of a list. Each rule checks a field of the item:

\`\`\`json
{
  "rules": [
    { "field": "paid", "operator": "is_true" },
    { "field": "address.country", "operator": "equals", "value": "{{ trigger.payload.country }}" }
  ]
}
\`\`\`

For a list of plain values, the field is \`item\`. If an item does not have the field, the step fails, unless the rule checks
whether it exists or is empty. Rules after the first one that rejects an item are not evaluated for that item.`,
  errors: ['config', 'expression', 'input'],
  example: {
    workflow: `name: Paid orders
trigger: manual
steps:
  - id: orders
    type: transform
    expression: trigger.payload.orders
  - id: paid
    type: filter
    rules:
      - {field: paid, operator: is_true}
`,
    tests: `tests:
  - name: Orders are split by payment
    payload: {orders: [{id: 1, paid: true}, {id: 2, paid: false}]}
    expect:
      outputs: {paid: {filtered: [{id: 1, paid: true}], rejected: [{id: 2, paid: false}]}}
`,
  },
  inputs: [{ name: 'input', dataType: 'array', required: true, description: 'The list to split.' }],
  outputs: [
    { name: 'filtered', dataType: 'array', description: 'The items that meet every rule.' },
    { name: 'rejected', dataType: 'array', description: 'The other items.' },
  ],
  subInputs: [],
  effect: 'pure',
  version: 1,
  config,
  verbatim: ['rules.*.field'],
  run: ({ input, config, ctx }) => ctx.inSlices(splitItems(asItems(input), config.rules ?? [], ctx)),
});

function* splitItems(items: readonly Json[], all: readonly Rule[], ctx: StepContext): SlicedWork<StepResult> {
  const filtered: Json[] = [];
  const rejected: Json[] = [];
  for (const item of items) {
    const isKept = yield* meetsAll(item, all, ctx);
    (isKept ? filtered : rejected).push(item);
    yield;
  }
  return { outputs: { filtered, rejected } };
}

function* meetsAll(item: Json, all: readonly Rule[], ctx: StepContext): SlicedWork<boolean> {
  const scope = new ItemScope(item);
  for (const rule of all) {
    if (!ruleHolds(rule, scope, ctx)) return false;
    yield;
  }
  return true;
}
