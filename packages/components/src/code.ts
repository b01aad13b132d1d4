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
} from '@millrace/core';
import { z } from 'zod';

/** Characters of code: a node is for a function, and the graph that holds it is sent to every editor. */
const maxLength = 65_536;

const config = z.strictObject({
  language: z
    .enum(scriptLanguages, {
      error: ({ input }) =>
        input === 'python'
          ? 'Python needs an optional runtime that is not installed: write the code in javascript or typescript'
          : `must be one of ${scriptLanguages.join(', ')}`,
    })
    .describe('What the code is written in.')
    .meta({ default: 'javascript', examples: ['typescript'] })
    .optional(),
  code: z
    .string()
    .min(1)
    .max(maxLength)
    .describe('The body of an async function. `input`, `trigger`, `nodes` and `loop` are in scope; return the output.')
    .meta({ examples: ['return { count: input.items.length };'] })
    .optional(),
});

type Config = z.infer<typeof config>;

export const code = defineComponent({
  type: 'code',
  label: 'Code',
  category: 'Logic',
  icon: 'code',
  color: '#6366f1',
  description: `Runs a function of your own and puts out what it returns.

Use it where expressions get long: to reshape, group or compute. Write the body of an async function in JavaScript or
TypeScript:

\`\`\`json
{
  "language": "typescript",
  "code": "const prices: number[] = input.items.map((item: { price: number }) => item.price);\\nconsole.log(prices.length, 'prices');\\nreturn { total: prices.reduce((sum, price) => sum + price, 0) };"
}
\`\`\`

In scope are \`input\` (what reached this node), \`trigger\` (\`payload\`, \`text\`), \`nodes\` (\`nodes.fetch.result\`) and,
in the body of a loop, \`loop\` (\`item\`, \`index\`, \`total\`). What you return must be JSON; nothing returned is null.
\`console.log\` writes to the step's metadata, also when the code fails after it. \`{{ … }}\` in code is code and not an expression.

Code runs in a sandbox: it has the language and nothing else. No network, files, timers, \`require\` or \`import\`; use an
HTTP Request node for calls. It is stopped when it takes too long or too much memory, and keeps nothing for the next
step.`,
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
  inputs: [{ name: 'input', dataType: 'any', required: false, description: 'What the code finds in `input`.' }],
  outputs: [{ name: 'output', dataType: 'any', description: 'What the code returned.' }],
  subInputs: [],
  // Code reaches nothing outside, so nobody notices when it runs again.
  effect: 'pure',
  version: 1,
  needs: ['code'],
  config,
  // An expression in code would put values into a program: that is how programs are broken into.
  verbatim: ['code'],
  codeKey: 'code',
  async run({ input, config, ctx }: Step<Config>) {
    const { language = 'javascript', code: source } = config;
    if (source === undefined) throw new StepError('config', "'code' is missing: give the body of a function.");
    const { value, lines } = await ctx.runScript({ language, source, scope: scopeOf(source, input, ctx.scope) });
    return { outputs: { output: value }, ...consoleOf(lines) };
  },
});

/** The values of the names that the code contains: what it cannot name need not be sent. */
function scopeOf(source: string, input: Json, scope: Scope): Partial<Record<ScriptName, Json>> {
  const values: Partial<Record<ScriptName, Json>> = {};
  for (const name of scriptNames) {
    // An identifier may be written with escapes, too.
    if (!source.includes(name) && !source.includes('\\u')) continue;
    const value = name === 'input' ? input : scope.lookup(name);
    if (value !== undefined) values[name] = value;
  }
  return values;
}
