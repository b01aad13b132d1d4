import {
  childrenOf,
  defineComponent,
  type ExpressionNode,
  evaluate,
  type Json,
  type Meter,
  parseExpression,
  type Scope,
  StepError,
} from '@millrace/core';
import { z } from 'zod';

const operators: ReadonlySet<string> = new Set(['+', '-', '*', '/', '//', '%', '**']);

/** A calculation has no names in scope, so a text from elsewhere cannot read values of the run. */
const nothing: Scope = { lookup: () => undefined, names: () => [] };

const config = z.strictObject({
  expression: z
    .string()
    .min(1)
    .describe(
      'The calculation, e.g. `(2 + 3) * 4`. May contain expressions whose values are numbers. Default: the input text.',
    )
    .meta({ examples: ['(2 + 3) * 4', '{{ trigger.payload.net }} * 1.2'] })
    .optional(),
});

export const calculator = defineComponent({
  type: 'calculator',
  label: 'Calculator',
  category: 'Tools',
  icon: 'calculator',
  color: '#10b981',
  description: `Evaluates an arithmetic expression: \`+\`, \`-\`, \`*\`, \`/\`, \`//\` (division rounded down), \`%\` (its remainder),
\`**\` (power) and parentheses. Nothing else is accepted, and nothing is ever run as code.

Use it for a calculation that arrives as text, for example from a model. Otherwise, an expression can do the same.

\`\`\`json
{ "expression": "{{ trigger.payload.price }} * (100 + {{ trigger.payload.tax }}) / 100" }
\`\`\``,
  errors: ['expression', 'input'],
  example: {
    workflow: `name: Price with tax
trigger: manual
steps:
  - id: price
    type: calculator
    expression: "{{ trigger.payload.net }} * (100 + {{ trigger.payload.tax }}) / 100"
`,
    tests: `tests:
  - name: The tax is added
    payload: {net: 50, tax: 20}
    expect: {final_output: 60}
`,
  },
  inputs: [
    {
      name: 'expression',
      dataType: 'text',
      required: false,
      suppliedBy: ['expression'],
      failsEmpty: true,
      isTextOnly: true,
      description: 'The calculation, unless the config has one.',
    },
  ],
  outputs: [
    { name: 'result', dataType: 'number', description: 'The result.' },
    { name: 'tool', dataType: 'tool', description: 'The calculator as a tool for agents.' },
  ],
  subInputs: [],
  effect: 'pure',
  tool: {
    description: 'Evaluates an arithmetic expression with + - * / // (division rounded down) % ** and parentheses.',
    fills: ['expression'],
    requires: ['expression'],
  },
  version: 1,
  config,
  run({ input, config, ctx }) {
    return { outputs: { result: calculate(config.expression === undefined ? input : config.expression, ctx.meter) } };
  },
});

function calculate(calculation: Json, meter: Meter): number {
  if (typeof calculation === 'number') return calculation;
  if (typeof calculation !== 'string') throw new StepError('input', 'The calculation must be text or a number.');
  const parsed = parseExpression(calculation);
  checkArithmetic(parsed.root);
  const result = evaluate(parsed, nothing, { meter });
  // Only numbers and operators on them remain, which return numbers or fail.
  if (typeof result !== 'number') throw new StepError('input', 'The result of this calculation is not a number.');
  return result;
}

function checkArithmetic(node: ExpressionNode): void {
  if (!isArithmetic(node))
    throw new StepError('input', 'A calculation may contain only numbers, + - * / // % ** and parentheses.');
  for (const child of childrenOf(node)) checkArithmetic(child);
}

function isArithmetic(node: ExpressionNode): boolean {
  switch (node.kind) {
    case 'literal':
      return typeof node.value === 'number';
    case 'unary':
    case 'binary':
      return operators.has(node.operator);
    default:
      return false;
  }
}
