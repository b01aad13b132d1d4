import { consoleOf, defineComponent, type Step, StepError, scriptLanguages, ui } from '@millrace/core';
import { z } from 'zod';

/** Characters of code, as in a `code` node. */
const maxLength = 65_536;

const config = z.strictObject({
  language: z
    .enum(scriptLanguages)
    .describe('The language of the code.')
    .meta({ default: 'javascript', examples: ['typescript'] })
    .optional(),
  code: z
    .string()
    .min(1)
    .max(maxLength)
    .describe(
      'The body of an async function. The arguments of the call are in scope as `input`; the returned value is the result. Default: the model writes it.',
    )
    .meta({ ...ui({ widget: 'code' }), examples: ['return input.prices.reduce((sum, price) => sum + price, 0);'] })
    .optional(),
});

type Config = z.infer<typeof config>;

export const codeExecute = defineComponent({
  type: 'code_execute',
  label: 'Code Execute',
  category: 'Tools',
  icon: 'square-code',
  color: '#10b981',
  description: `Runs code in the sandbox as a tool of an agent. Connect it to the agent by an edge labelled \`tool\`; it is never a
step of a run by itself.

Without \`code\`, the model writes the code. With \`code\`, the model only gives the arguments that \`tool.parameters\` describe,
and the code reads them as \`input\`:

\`\`\`json
{
  "code": "return input.prices.reduce((sum, price) => sum + price, 0);",
  "tool": {
    "name": "sum",
    "description": "Adds prices.",
    "parameters": {
      "type": "object",
      "properties": { "prices": { "type": "array", "items": { "type": "number" } } },
      "required": ["prices"]
    }
  }
}
\`\`\`

The sandbox is that of \`code\`: no network, files or timers. Only \`input\` is in scope, nothing else of the run.`,
  errors: ['code_error', 'code_memory', 'code_output', 'code_syntax', 'code_timeout', 'code_unavailable', 'config'],
  example: {
    workflow: `name: Sum of prices
trigger: manual
model: {model_name: some-model}
steps:
  - id: answer
    type: agent
    prompt: Answer with a number.
    input: "{{ trigger.payload.question }}"
    tools: [{id: run_code, type: code_execute}]
`,
    tests: `tests:
  - name: The model writes a function
    payload: {question: What is the sum of 1 to 100?}
    models:
      - node: answer
        calls:
          - tool: run_code
            arguments: {code: 'let sum = 0; for (let n = 1; n <= 100; n += 1) sum += n; return sum;'}
      - {node: answer, input: '5050', answer: '5050'}
    expect: {final_output: '5050'}
`,
  },
  inputs: [],
  outputs: [{ name: 'tool', dataType: 'tool', description: 'The sandbox as a tool for agents.' }],
  subInputs: [],
  // Code has no effect outside the sandbox, so it can run again.
  effect: 'pure',
  tool: {
    description:
      'Runs code in a sandbox without network, and returns the value that it returns. The code is the body of an async JavaScript function; `input` holds the other arguments.',
    fills: ['code'],
    requires: ['code'],
    port: 'result',
  },
  version: 1,
  config,
  // An expression in code would insert values into a program, which allows code injection.
  verbatim: ['code'],
  async call({ input, config, ctx }: Step<Config>) {
    const { language = 'javascript', code: source } = config;
    if (source === undefined) throw new StepError('config', "'code' is missing: enter the body of a function.");
    const { value, lines } = await ctx.runScript({ language, source, scope: { input } });
    return { outputs: { result: value }, ...consoleOf(lines) };
  },
});
