import {
  consoleOf,
  defineComponent,
  type Json,
  type Scope,
  type ScriptName,
  type Step,
  StepError,
  scriptLanguages,
  scriptNames,
  ui,
} from '@millrace/core';
import { z } from 'zod';

/** Characters of code: a node contains one function, and the graph with the code is sent to every editor. */
const maxLength = 65_536;

const config = z.strictObject({
  language: z
    .enum(scriptLanguages, {
      error: ({ input }) =>
        input === 'python'
          ? 'Python needs an optional runtime that is not installed: write the code in javascript or typescript'
          : `must be one of ${scriptLanguages.join(', ')}`,
    })
    .describe('The language of the code.')
    .meta({ default: 'javascript', examples: ['typescript'] })
    .optional(),
  code: z
    .string()
    .min(1)
    .max(maxLength)
    .describe(
      'The body of an async function. `input`, `trigger`, `nodes` and `loop` are in scope; the returned value is the output.',
    )
    .meta({ ...ui({ widget: 'code' }), examples: ['return { count: input.items.length };'] })
    .optional(),
});

type Config = z.infer<typeof config>;

export const code = defineComponent({
  type: 'code',
  label: 'Code',
  category: 'Logic',
  icon: 'code',
  color: '#6366f1',
  description: `Runs a function that you write, and outputs what it returns.

Use it when expressions become long: to reshape, group or compute values. Write the body of an async function in
JavaScript or TypeScript:

\`\`\`json
{
  "language": "typescript",
  "code": "const prices: number[] = input.items.map((item: { price: number }) => item.price);\\nconsole.log(prices.length, 'prices');\\nreturn { total: prices.reduce((sum, price) => sum + price, 0) };"
}
\`\`\`

In scope are \`input\` (the input of the node), \`trigger\` (\`payload\`, \`text\`), \`nodes\` (\`nodes.fetch.result\`) and, in the
body of a loop, \`loop\` (\`item\`, \`index\`, \`total\`). The returned value must be JSON; without a \`return\` it is null.
\`console.log\` writes to the step's metadata, also if the code fails afterwards. \`{{ … }}\` in code is not an expression.

Code runs in a sandbox that contains the language and nothing else: no network, files, timers, \`require\` or \`import\`. Use
an HTTP Request node for requests. Code that takes too long or uses too much memory is stopped. No state remains for the
next step.`,
  errors: [
    'code_error',
    'code_memory',
    'code_output',
    'code_syntax',
    'code_timeout',
    'code_unavailable',
    'config',
    'input',
  ],
  example: {
    workflow: `name: Statistics
trigger: manual
steps:
  - id: statistics
    type: code
    language: javascript
    code: |
      const sorted = [...trigger.payload.numbers].sort((a, b) => a - b);
      return { least: sorted[0], median: sorted[Math.floor(sorted.length / 2)] };
`,
    tests: `tests:
  - name: The median of three numbers is the middle one
    payload: {numbers: [9, 1, 4]}
    expect: {final_output: {least: 1, median: 4}}
`,
  },
  inputs: [{ name: 'input', dataType: 'any', required: false, description: 'The value of `input` in the code.' }],
  outputs: [{ name: 'output', dataType: 'any', description: 'The value that the code returned.' }],
  subInputs: [],
  // Code has no effect outside the sandbox, so it can run again.
  effect: 'pure',
  version: 1,
  needs: ['code'],
  config,
  // An expression in code would insert values into a program, which allows code injection.
  verbatim: ['code'],
  codeKey: 'code',
  async run({ input, config, ctx }: Step<Config>) {
    const { language = 'javascript', code: source } = config;
    if (source === undefined) throw new StepError('config', "'code' is missing: enter the body of a function.");
    const { value, lines } = await ctx.runScript({ language, source, scope: scopeOf(source, input, ctx.scope) });
    return { outputs: { output: value }, ...consoleOf(lines) };
  },
});

/** The values of the names that the code contains; other names need not be sent. */
function scopeOf(source: string, input: Json, scope: Scope): Partial<Record<ScriptName, Json>> {
  const values: Partial<Record<ScriptName, Json>> = {};
  for (const name of scriptNames) {
    // Identifiers may also contain Unicode escapes.
    if (!source.includes(name) && !source.includes('\\u')) continue;
    const value = name === 'input' ? input : scope.lookup(name);
    if (value !== undefined) values[name] = value;
  }
  return values;
}
