import {
  childrenOf,
  defineComponent,
  type ExpressionNode,
  evaluate,
  type Json,
  parseExpression,
  type Scope,
  StepError,
} from '@millrace/core';
import { z } from 'zod';

const operators: ReadonlySet<string> = new Set(['+', '-', '*', '/', '//', '%', '**']);

/** A calculation names nothing, so that no text that reaches it can read a value of the run. */
const nothing: Scope = { lookup: () => undefined, names: () => [] };

const config = z.strictObject({
  expression: z
    .string()
    .min(1)
    .describe('What to calculate, e.g. `(2 + 3) * 4`. May hold expressions that give numbers. Default: the input text.')
    .meta({ examples: ['(2 + 3) * 4', '{{ trigger.payload.net }} * 1.2'] })
    .optional(),
});

export const calculator = defineComponent({
  type: 'calculator',
  label: 'Calculator',
  category: 'Tools',
  icon: 'calculator',
  color: '#10b981',
  description: `Calculates with numbers: \`+\`, \`-\`, \`*\`, \`/\`, \`//\` (division rounded down), \`%\` (its remainder),
\`**\` (power) and brackets. Nothing else is understood, and nothing is ever run as code.

Use it for a calculation that arrives as text, for example from a model; elsewhere an expression does the same.

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
      description: 'What to calculate, unless the config says it.',
    },
  ],
  outputs: [
    { name: 'result', dataType: 'number', description: 'The number that comes out.' },
    { name: 'tool', dataType: 'tool', description: 'The same as a tool of an agent.' },
  ],
  subInputs: [],
  effect: 'pure',
  version: 1,
  config,
  run({ input, config }) {
    return { outputs: { result: calculate(config.expression === undefined ? input : config.expression) } };
  },
});

function calculate(calculation: Json): number {
  if (typeof calculation === 'number') return calculation;
  if (typeof calculation !== 'string') throw new StepError('input', 'What to calculate must be text or a number.');
  const parsed = parseExpression(calculation);
  checkArithmetic(parsed.root);
  const result = evaluate(parsed, nothing);
  // Only numbers and operators on them are left, which give numbers or fail.
  if (typeof result !== 'number') throw new StepError('input', 'This calculation has no number as its result.');
  return result;
}

function checkArithmetic(node: ExpressionNode): void {
  if (!isArithmetic(node))
    throw new StepError('input', 'Only numbers, + - * / // % ** and brackets can be calculated.');
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
