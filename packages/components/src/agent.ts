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
} from '@millrace/core';
import { z } from 'zod';

const config = z.strictObject({
  input: z
    .string()
    .min(1)
    .describe('What the model is asked. Default: what comes from the node before.')
    .meta({ examples: ['Summarise this ticket: {{ trigger.payload.text }}'] })
    .optional(),
});

type Config = z.infer<typeof config>;

export const agent = defineComponent({
  type: 'agent',
  label: 'Agent',
  category: 'AI',
  icon: 'bot',
  color: '#8b5cf6',
  description: `Asks a language model and puts out its answer.

Connect an \`ai_model\` by an edge labelled \`llm\`. What the model is told beforehand is the node's \`system_prompt\`, which a
workflow's text calls \`prompt\`: what it is to do. What it is asked is the node's input, as the message of the user: text
as it is, anything else as JSON; or \`input\`, where the config has one. Both may hold expressions.

\`\`\`json
{ "input": "Summarise this ticket in one sentence: {{ trigger.payload.text }}" }
\`\`\`

With an \`output_parser\`, \`output\` is the value that the parser finds in the answer; an answer that it cannot read fails
the step, and is the \`answer\` in the \`metadata\` of its log. Settings such as \`temperature\` count
for this node alone where it has them, else those of the model.

With a \`conversation_memory\`, the model is also told what was said before in the same conversation of the chat: messages and
the answers that were sent, before the question. The log counts them (\`remembered_turns\` in its \`metadata\`); \`messages\` does not
repeat them. Of several memories the one that was connected last counts, and so it is with parsers.

**Not supported yet:** tools. They can be connected, but the node then fails when it runs, and \`validate\` warns
of it. An agent asks for one answer for now.`,
  errors: [
    'config',
    'credential_locked',
    'credential_missing',
    'http_blocked',
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
      description: 'What the model is asked.',
    },
  ],
  outputs: [
    { name: 'output', dataType: 'text', description: 'The answer, or what the output parser made of it.' },
    {
      name: 'messages',
      dataType: 'array',
      description: 'What it was told and asked, and its answer, as a list of role and content.',
    },
    { name: 'usage', dataType: 'object', description: 'The calls and tokens that it took, and their cost.' },
  ],
  subInputs: [
    { name: 'model', dataType: 'llm', required: true, description: 'The model that is asked.' },
    { name: 'tools', dataType: 'tool', required: false, description: 'What the model may use. Not supported yet.' },
    { name: 'memory', dataType: 'memory', required: false, description: 'What was said before in the chat.' },
    {
      name: 'output_parser',
      dataType: 'output_parser',
      required: false,
      description: 'What turns the answer into a value.',
    },
  ],
  plannedSubInputs: ['tools'],
  // A question that is asked twice costs twice, and changes nothing.
  effect: 'idempotent',
  version: 1,
  config,
  async run(step) {
    const { ctx } = step;
    const parser = parserOf(ctx);
    const system = [ctx.systemPrompt, parser === null ? '' : parserInstruction(parser)].filter(Boolean).join('\n\n');
    const question: ModelMessage = { role: 'user', content: questionOf(step) };
    const before = await recollection(ctx);
    const answer = await ctx.model.ask({ system, messages: [...(before?.messages ?? []), question] });
    if (answer.stop === 'refusal') throw new StepError('model_refused', `The model declined to answer.`);
    return {
      outputs: {
        output: parser === null ? answer.text : parsed(parser, answer, ctx),
        // Without what was said before: its place is the history of the chat, where it can be forgotten.
        messages: messagesOf(system, [question, { role: 'assistant', content: answer.text }]),
        usage: usageOf(ctx),
      },
      metadata: { stop: answer.stop, ...rememberedIn(before) },
    };
  },
});

/** What the memory that was connected last has; null without a memory. */
async function recollection(ctx: StepContext): Promise<Recollection | null> {
  const memory = ctx.connected('memory').at(-1);
  return memory === undefined ? null : recall(memory, ctx);
}

/** What the log says of it. */
function rememberedIn(before: Recollection | null): JsonObject {
  if (before === null) return {};
  return { remembered_turns: before.turns, ...(before.hasSummary && { remembered_summary: true }) };
}

/** The parser that was connected last. */
function parserOf(ctx: StepContext): OutputParserConfig | null {
  const parser = ctx.connected('output_parser').at(-1);
  // Its own schema refused anything else when it was stored.
  return parser === undefined ? null : (parser.config as OutputParserConfig);
}

/** Characters of an answer that a failed step keeps: enough to see what the model made of its task. */
const maxStoredLength = 4096;

/** What the parser makes of an answer; one that it cannot read stays in the log of the step. */
function parsed(parser: OutputParserConfig, { text, stop }: ModelAnswer, ctx: StepContext): Json {
  try {
    return parseOutput(parser, text, ctx);
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    const metadata = { stop, answer: text.slice(0, maxStoredLength).toWellFormed() };
    throw new StepError(error.code, error.message, { retryable: error.retryable, metadata });
  }
}

/** What is asked was called `prompt` once: so it is in versions of workflows that executions pinned then. */
type StoredConfig = Config & { readonly prompt?: Json };

function questionOf({ input, config }: Step<StoredConfig>): string {
  const own = config.input ?? config.prompt;
  const text = own === undefined ? textOfInput(input) : asText(own, 'input');
  if (text.trim() !== '') return text;
  throw new StepError('input', "There is nothing to ask: give an 'input', or let the node before put out a text.");
}

function textOfInput(input: Json): string {
  if (typeof input === 'string') return input;
  return input === null ? '' : JSON.stringify(input);
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
