import { asText, defineComponent, routeRules, ruleHolds, type SlicedWork, type StepContext, ui } from '@millrace/core';
import { z } from 'zod';

const config = z
  .strictObject({
    rules: routeRules
      .describe(
        'Evaluated in order: the `id` of the first rule that holds is the route. Several rules may have the same `id`.',
      )
      .meta({
        ...ui({ widget: 'rules' }),
        default: [],
        examples: [
          [{ id: 'hot', label: 'above 30 degrees', field: 'trigger.payload.degrees', operator: 'gt', value: 30 }],
        ],
      })
      .optional(),
    expression: z
      .string()
      .min(1)
      .describe('Instead of rules: an expression, without braces, whose value is the route.')
      .meta({ ...ui({ widget: 'expression', advanced: true }), examples: ['trigger.payload.kind'] })
      .optional(),
    enable_fallback: z
      .boolean()
      .describe('Whether the edge `__other__` is taken if no other edge is. If false, no edge is taken.')
      .meta({ default: false, examples: [true] })
      .optional(),
  })
  .refine(({ rules, expression }) => rules === undefined || expression === undefined, {
    path: ['expression'],
    error: 'Set either rules or an expression, not both.',
  });

type Config = z.infer<typeof config>;

export const switchNode = defineComponent({
  type: 'switch',
  label: 'Switch',
  category: 'Logic',
  icon: 'split',
  color: '#6366f1',
  description: `Selects which of its outgoing edges the execution follows. These edges are conditional: the edge whose value equals the route is
taken. The others are not, and nodes that only they lead to are skipped.

Use it if the next step depends on a value. The first rule that holds decides. With \`enable_fallback\`, all other cases take
the edge \`__other__\`.

\`\`\`json
{
  "rules": [
    { "id": "hot", "field": "trigger.payload.degrees", "operator": "gt", "value": 30 },
    { "id": "cold", "field": "trigger.payload.degrees", "operator": "lt", "value": 5 }
  ],
  "enable_fallback": true
}
\`\`\`

The nodes after a switch receive its unchanged input, as if the switch were not there. The route itself is the port \`route\`.

If a field does not exist, the step fails, unless the rule checks whether it exists or is empty.`,
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
  inputs: [{ name: 'input', dataType: 'any', required: true, description: 'The value that is passed on.' }],
  outputs: [
    { name: 'output', dataType: 'any', description: 'The input, unchanged.' },
    { name: 'route', dataType: 'text', description: 'The route; empty if there is none.' },
  ],
  subInputs: [],
  effect: 'pure',
  version: 1,
  config,
  bareExpressions: ['expression'],
  verbatim: ['rules.*.field'],
  scopePaths: ['rules.*.field'],
  run: ({ input, config, ctx }) =>
    ctx.inSlices(
      (function* () {
        const route =
          config.expression === undefined ? yield* firstRoute(config, ctx) : asText(config.expression, 'expression');
        return { outputs: { output: input, route }, route };
      })(),
    ),
});

function* firstRoute({ rules = [], enable_fallback }: Config, ctx: StepContext): SlicedWork<string> {
  for (const rule of rules) {
    if (ruleHolds(rule, ctx.scope, ctx)) return asText(rule.id, 'rules.id');
    yield;
  }
  return enable_fallback === true ? '__other__' : '';
}
