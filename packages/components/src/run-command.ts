import {
  asBoolean,
  asText,
  type CommandResult,
  defineComponent,
  expressible,
  isArray,
  type Json,
  ownText,
  type Step,
  StepError,
} from '@millrace/core';
import { z } from 'zod';

/** Characters of the program's last words in an error. */
const excerptLength = 300;

const config = z.strictObject({
  command: z
    .string()
    .min(1)
    .describe('The name of the command, as the operator of the service chose it. Default: the input text.')
    .meta({ examples: ['convert'] })
    .optional(),
  args: expressible(z.array(z.string()))
    .describe('The arguments, one by one. Each reaches the program as it is: there is no shell.')
    .meta({ default: [], examples: [['report.html', '{{ trigger.payload.name }}.pdf']] })
    .optional(),
  input: z
    .json()
    .describe('What the program reads from its standard input: text as it is, anything else as JSON. Default: nothing.')
    .meta({ examples: ['{{ trigger.payload.text }}'] })
    .optional(),
  accept_errors: expressible(z.boolean())
    .describe('Whether another exit code than 0 is output as the result. If false, it fails the step.')
    .meta({ default: false, examples: [true] })
    .optional(),
});

type Config = z.infer<typeof config>;

export const runCommand = defineComponent({
  type: 'run_command',
  label: 'Run Command',
  category: 'Tools',
  icon: 'terminal',
  color: '#10b981',
  description: `Runs a program of the machine on which the service runs.

No program can be run until the operator of the service allows it by a name, with the options that it may get: see
[commands](../commands.md). Arguments reach the program as they are, without a shell. It runs in an empty folder, with an
empty environment and, unless the operator allows it, without network.

\`\`\`json
{ "command": "word-count", "args": ["-w"], "input": "{{ trigger.payload.text }}" }
\`\`\`

\`result\` is \`{exit_code, stdout, stderr, cut}\`; \`cut\` says that only the first MiB of the output is there. If the service
stops while the program runs, it is unknown whether it acted: \`on_unknown\` decides whether it runs again.

As a tool of an agent, the model fills \`args\` and \`input\` where the config leaves them open, never \`command\`.`,
  errors: ['command_denied', 'command_failed', 'config', 'step_timeout'],
  example: {
    workflow: `name: Count words
trigger: webhook
steps:
  - id: count
    type: run_command
    command: word-count
    args: [-w]
    input: "{{ trigger.payload.text }}"
`,
    tests: `tests:
  - name: The program gets the text
    payload: {text: one two three}
    commands:
      - {command: word-count, args: [-w], input: one two three, stdout: "3\\n"}
    expect:
      outputs: {count: {result: {exit_code: 0, stdout: "3\\n", stderr: '', cut: false}}}
  - name: The program fails
    payload: {text: one}
    commands:
      - {command: word-count, exit_code: 1, stderr: out of words}
    expect:
      error: {node: count, code: command_failed, message: {contains: out of words}}
`,
  },
  inputs: [
    {
      name: 'command',
      dataType: 'text',
      required: false,
      suppliedBy: ['command'],
      failsEmpty: true,
      isTextOnly: true,
      description: 'The name of the command, unless the config has one.',
    },
  ],
  outputs: [
    { name: 'result', dataType: 'object', description: 'The exit code and the output.' },
    { name: 'tool', dataType: 'tool', description: 'The command as a tool for agents.' },
  ],
  subInputs: [],
  effect: 'once',
  isRepeatable: () => false,
  tool: {
    description: 'Runs a program with arguments, and returns its exit code and output.',
    fills: ['args', 'input'],
  },
  version: 1,
  config,
  async run({ input: given, config, ctx }: Step<Config>) {
    const name = asText(config.command ?? given, 'command');
    const result = await ctx.runCommand({ name, args: argsOf(config.args), input: config.input ?? null });
    const accepts = config.accept_errors !== undefined && asBoolean(config.accept_errors, 'accept_errors');
    if (result.exitCode !== 0 && !accepts) throw failure(name, result);
    const { exitCode, ...rest } = result;
    return { outputs: { result: { exit_code: exitCode, ...rest } } };
  },
});

function argsOf(args: Json = []): readonly string[] {
  if (isArray(args) && args.every((arg) => typeof arg === 'string')) return args;
  throw new StepError('config', "'args' must be a list of texts.");
}

function failure(name: string, { exitCode, stdout, stderr }: CommandResult): StepError {
  const said = (stderr.trim() === '' ? stdout : stderr).trim().slice(-excerptLength);
  return new StepError(
    'command_failed',
    `The command '${name}' ended with code ${exitCode}${said && `: ${ownText(said.toWellFormed())}`}`,
  );
}
