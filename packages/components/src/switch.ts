import { asText, defineComponent, routeRules, ruleHolds } from '@millrace/core';
import { z } from 'zod';

const config = z
  .strictObject({
    rules: routeRules
      .describe('Tried in order: the `id` of the first rule that holds is the route. Rules may share an `id`.')
      .meta({
        default: [],
        examples: [
          [{ id: 'hot', label: 'above 30 degrees', field: 'trigger.payload.degrees', operator: 'gt', value: 30 }],
        ],
      })
      .optional(),
    expression: z
      .string()
      .min(1)
      .describe('Instead of rules: an expression, without braces, whose text is the route.')
      .meta({ examples: ['trigger.payload.kind'] })
      .optional(),
    enable_fallback: z
      .boolean()
      .describe('Whether the edge `__other__` is taken when no other edge is. If false, none is taken.')
      .meta({ default: false, examples: [true] })
      .optional(),
  })
  .refine(({ rules, expression }) => rules === undefined || expression === undefined, {
    path: ['expression'],
    error: 'Give either rules or an expression.',
  });

export const switchNode = defineComponent({
  type: 'switch',
  label: 'Switch',
  category: 'Logic',
  icon: 'split',
  color: '#6366f1',
  description: `Sends the run one way or another. Its outgoing edges are conditional: the edge whose value is the route is
taken, the others are not, and what only they lead to is skipped.

Use it wherever the next step depends on a value. The first rule that holds decides; \`enable_fallback\` gives all
other cases an edge of their own, \`__other__\`.

\`\`\`json
{
  "rules": [
    { "id": "hot", "field": "trigger.payload.degrees", "operator": "gt", "value": 30 },
    { "id": "cold", "field": "trigger.payload.degrees", "operator": "lt", "value": 5 }
  ],
  "enable_fallback": true
}
\`\`\`

The nodes behind a switch receive its input, unchanged, as if it were not there. The route itself is the port \`route\`.

A field that does not exist fails the step, unless the rule asks whether it exists or is empty.`,
  errors: ['config', 'expression', 'input'],
  example: {
    workflow: `name: Weather
trigger: webhook
steps:
  - id: degrees
    type: switch
    rules:
      - {field: trigger.payload.degrees, operator: gt, value: 30, route: hot}
      - {field: trigger.payload.degrees, operator: lt, value: 5, route: cold}
    default: mild
  - {id: hot, type: template, template: Drink water.}
  - {id: cold, type: template, template: Wear a coat.}
  - {id: mild, type: template, template: Enjoy the day.}
`,
    tests: `tests:
  - name: The first rule that holds decides
    payload: {degrees: 35}
    expect: {path: [start, degrees, hot], skipped: [cold, mild]}
  - name: All other values take the default route
    payload: {degrees: 20}
    expect: {final_output: Enjoy the day.}
`,
  },
  inputs: [{ name: 'input', dataType: 'any', required: true, description: 'What precedes the decision.' }],
  outputs: [
    { name: 'output', dataType: 'any', description: 'The input, unchanged.' },
    { name: 'route', dataType: 'text', description: 'The route taken; empty when there is none.' },
  ],
  subInputs: [],
  effect: 'pure',
  version: 1,
  config,
  bareExpressions: ['expression'],
  verbatim: ['rules.*.field'],
  scopePaths: ['rules.*.field'],
  run({ input, config, ctx }) {
    const route = config.expression === undefined ? firstRoute() : asText(config.expression, 'expression');
    return { outputs: { output: input, route }, route };

    function firstRoute(): string {
      const rule = config.rules?.find((candidate) => ruleHolds(candidate, ctx.scope, ctx));
      if (rule !== undefined) return asText(rule.id, 'rules.id');
      return config.enable_fallback === true ? '__other__' : '';
    }
  },
});
