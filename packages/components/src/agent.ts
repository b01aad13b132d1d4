import {
  asText,
  defineComponent,
  type Json,
  type JsonObject,
  type ModelAnswer,
  type ModelMessage,
  type OutputParserConfig,
  parseOutput,
  parserInstruction,
  type Recollection,
  recall,
  type Step,
  type StepContext,
  StepError,
  ui,
  writtenJson,
} from '@millrace/core';
import { z } from 'zod';

const config = z.strictObject({
  input: z
    .string()
    .min(1)
    .describe('The user message. Default: the input.')
    .meta({ ...ui({ widget: 'prompt' }), examples: ['Summarise this ticket: {{ trigger.payload.text }}'] })
    .optional(),
});

type Config = z.infer<typeof config>;

export const agent = defineComponent({
  type: 'agent',
  label: 'Agent',
  category: 'AI',
  icon: 'bot',
  color: '#8b5cf6',
  description: `Sends a system prompt and a user message to a language model and outputs the answer.

Connect an \`ai_model\` by an edge labelled \`llm\`. The node's \`system_prompt\` holds the instructions; in the workflow's YAML
text it is called \`prompt\`. The user message is \`input\` if the config has it, otherwise the node's input: text as it is,
anything else as JSON. \`system_prompt\` and \`input\` may contain expressions.

\`\`\`json
{ "input": "Summarise this ticket in one sentence: {{ trigger.payload.text }}" }
\`\`\`

With an \`output_parser\`, \`output\` is the value that the parser reads from the answer. If the parser cannot read it, the
step fails, and the \`metadata\` of its log entry contains the \`answer\`. Settings such as \`temperature\` apply to this node only; a
setting that the node does not have comes from the model node.

With a \`conversation_memory\`, the model also receives the earlier messages of the same chat conversation and their
answers, before the user message. The \`metadata\` of the log entry counts them (\`remembered_turns\`); \`messages\` does not repeat
them. If several memories or several parsers are connected, the one connected last is used.

**Not supported yet:** tools. They can be connected, but the node then fails when it runs, and \`validate\` returns a
warning. For now, each run of an agent makes one model request.`,
  errors: [
    'config',
    'credential_locked',
    'credential_missing',
    'http_blocked',
    'http_busy',
    'http_connection',
    'http_too_large',
    'input',
    'missing_connection',
    'model_auth',
    'model_bad_response',
    'model_output',
    'model_rate_limited',
    'model_refused',
    'model_unavailable',
    'not_supported',
    'secret_unreadable',
  ],
  example: {
    workflow: `name: Ticket triage
trigger: webhook
model: {model_name: some-model}
steps:
  - id: triage
    type: agent
    prompt: Which team should take this ticket? Answer with one word, billing or other.
    input: "{{ trigger.payload.text }}"
`,
    tests: `tests:
  - name: The model names a team
    payload: {text: Where is my refund?}
    models:
      - {node: triage, input: {contains: refund}, answer: billing}
    expect:
      outputs: {triage: {output: billing}}
`,
  },
  inputs: [
    {
      name: 'input',
      dataType: 'text',
      required: false,
      suppliedBy: ['input'],
      description: 'The user message, unless the config has one.',
    },
  ],
  outputs: [
    {
      name: 'output',
      dataType: 'text',
      typedBy: 'output_parser',
      description: 'The answer, or the value that the output parser read from it.',
    },
    {
      name: 'messages',
      dataType: 'array',
      description:
        'The system prompt, the user message and the answer, as a list of objects with `role` and `content`.',
    },
    { name: 'usage', dataType: 'object', description: 'The number of calls and tokens, and their cost.' },
  ],
  subInputs: [
    { name: 'model', dataType: 'llm', required: true, description: 'The model.' },
    {
      name: 'tools',
      dataType: 'tool',
      required: false,
      description: 'The tools that the model may use. Not supported yet.',
    },
    { name: 'memory', dataType: 'memory', required: false, description: 'The earlier turns of the chat.' },
    {
      name: 'output_parser',
      dataType: 'output_parser',
      required: false,
      description: 'The parser that reads a value from the answer.',
    },
  ],
  plannedSubInputs: ['tools'],
  // A repeated request costs tokens again and may return another answer, but changes nothing outside.
  effect: 'idempotent',
  version: 1,
  config,
  async run(step) {
    const { ctx } = step;
    const parser = parserOf(ctx);
    const system = [ctx.systemPrompt, parser === null ? '' : parserInstruction(parser)].filter(Boolean).join('\n\n');
    const question: ModelMessage = { role: 'user', content: await questionOf(step) };
    const before = await recollection(ctx);
    const answer = await ctx.model.ask({ system, messages: [...(before?.messages ?? []), question] });
    if (answer.stop === 'refusal')
      throw new StepError('model_refused', 'The model declined to answer. Change the prompt, or use another model.');
    return {
      outputs: {
        output: parser === null ? answer.text : await parsed(parser, answer, ctx),
        // Without the earlier turns: they are stored in the chat history, where they can be deleted.
        messages: messagesOf(system, [question, { role: 'assistant', content: answer.text }]),
        usage: usageOf(ctx),
      },
      metadata: { stop: answer.stop, ...memoryMetadata(before) },
    };
  },
});

/** The turns of the memory that was connected last; null without a memory. */
async function recollection(ctx: StepContext): Promise<Recollection | null> {
  const memory = ctx.connected('memory').at(-1);
  return memory === undefined ? null : recall(memory, ctx);
}

/** The metadata about the memory. */
function memoryMetadata(before: Recollection | null): JsonObject {
  if (before === null) return {};
  return { remembered_turns: before.turns, ...(before.hasSummary && { remembered_summary: true }) };
}

/** The parser that was connected last. */
function parserOf(ctx: StepContext): OutputParserConfig | null {
  const parser = ctx.connected('output_parser').at(-1);
  // Safe: the config was validated against the parser's schema when it was stored.
  return parser === undefined ? null : (parser.config as OutputParserConfig);
}

/** The maximum number of characters of an unreadable answer in the log: enough to diagnose it. */
const maxStoredLength = 4096;

/** The value that the parser reads from an answer; an answer that it cannot read is stored in the step's log entry. */
async function parsed(parser: OutputParserConfig, { text, stop }: ModelAnswer, ctx: StepContext): Promise<Json> {
  try {
    return await ctx.inSlices(parseOutput(parser, text, ctx));
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    const metadata = { stop, answer: text.slice(0, maxStoredLength).toWellFormed() };
    throw new StepError(error.code, error.message, { retryable: error.retryable, metadata });
  }
}

/** Earlier releases called `input` `prompt`. Stored versions that executions still use contain the old name. */
type ConfigWithOldName = Config & { readonly prompt?: Json };

async function questionOf({ input, config, ctx }: Step<ConfigWithOldName>): Promise<string> {
  const own = config.input ?? config.prompt;
  const text = own === undefined ? await textOfInput(input, ctx) : asText(own, 'input');
  if (text.trim() !== '') return text;
  throw new StepError('input', "The user message is empty: set 'input', or connect a node that outputs text.");
}

function textOfInput(input: Json, { inSlices, meter }: StepContext): string | Promise<string> {
  if (typeof input === 'string') return input;
  return input === null ? '' : inSlices(writtenJson(input, meter));
}

function messagesOf(system: string, messages: readonly ModelMessage[]): Json {
  const history = messages.map(({ role, content }) => ({ role, content }));
  return system === '' ? history : [{ role: 'system', content: system }, ...history];
}

function usageOf({ model: { usage } }: StepContext): Json {
  return {
    calls: usage.calls,
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    cost_usd: usage.costUsd,
  };
}
