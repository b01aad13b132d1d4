import {
  asText,
  defineComponent,
  type Rule,
  ruleHolds,
  rules,
  type SlicedWork,
  type StepContext,
  StepError,
  ui,
} from '@millrace/core';
import { z } from 'zod';

const config = z.strictObject({
  rules: rules
    .describe('The rules, all of which must hold.')
    .meta({
      ...ui({ widget: 'rules' }),
      default: [],
      examples: [
        [{ id: 'total', label: 'the total is positive', field: 'trigger.payload.total', operator: 'gt', value: 0 }],
      ],
    })
    .optional(),
  fail: z
    .boolean()
    .describe('Whether the step fails if a rule does not hold. If false, only the output `passed` shows it.')
    .meta({ default: true, examples: [false] })
    .optional(),
  message: z
    .string()
    .describe('The error message. Default: the rules that do not hold.')
    .meta({ examples: ['Order {{ trigger.payload.id }} is empty.'] })
    .optional(),
});

export const assertion = defineComponent({
  type: 'assertion',
  label: 'Assertion',
  category: 'Logic',
  icon: 'shield-check',
  color: '#6366f1',
  description: `Checks rules that the rest of the workflow relies on, and passes its input on.

Use it before steps that must not run on wrong data. If a rule does not hold, the step fails: the execution ends with an error
that names the rule, or follows the node's \`error\` edge if there is one.

\`\`\`json
{
  "rules": [
    { "label": "an order has items", "field": "trigger.payload.items", "operator": "is_not_empty" },
    { "label": "the total is positive", "field": "trigger.payload.total", "operator": "gt", "value": 0 }
  ]
}
\`\`\``,
  errors: ['assertion', 'config', 'expression', 'input'],
  example: {
    workflow: `name: Checked order
trigger: webhook
steps:
  - id: check
    type: assertion
    rules:
      - {label: the total is positive, field: trigger.payload.total, operator: gt, value: 0}
  - id: confirm
    type: template
    template: Order {{ trigger.payload.id }} is accepted.
`,
    tests: `tests:
  - name: A valid order is accepted
    payload: {id: A1, total: 12}
    expect: {final_output: Order A1 is accepted.}
  - name: An order without a total above zero fails
    payload: {id: A2, total: 0}
    expect:
      error: {node: check, code: assertion, message: {contains: the total is positive}}
`,
  },
  inputs: [
    { name: 'input', dataType: 'any', required: true, description: 'The value that is passed on if the rules hold.' },
  ],
  outputs: [
    { name: 'output', dataType: 'any', description: 'The input, unchanged.' },
    { name: 'passed', dataType: 'boolean', description: 'Whether all rules held.' },
  ],
  subInputs: [],
  effect: 'pure',
  version: 1,
  config,
  verbatim: ['rules.*.field'],
  scopePaths: ['rules.*.field'],
  run: ({ input, config, ctx }) =>
    ctx.inSlices(
      (function* () {
        const broken = yield* brokenRules(config.rules ?? [], ctx);
        if (broken.length > 0 && config.fail !== false) {
          const message = config.message ?? `Assertion failed: ${broken.map(nameOf).join('; ')}.`;
          throw new StepError('assertion', asText(message, 'message'));
        }
        return { outputs: { output: input, passed: broken.length === 0 } };
      })(),
    ),
});

function* brokenRules(all: readonly Rule[], ctx: StepContext): SlicedWork<readonly Rule[]> {
  const broken: Rule[] = [];
  for (const rule of all) {
    if (!ruleHolds(rule, ctx.scope, ctx)) broken.push(rule);
    yield;
  }
  return broken;
}

function nameOf(rule: Rule): string {
  // Never the compared values: they may be private, and more people can read an error than an output.
  return asText(rule.label ?? rule.id ?? `'${rule.field}' ${rule.operator}`, 'rules.label');
}
