import {
  type CallsRequest,
  defineComponent,
  type ErrorCode,
  type Json,
  listed,
  type ModelMessage,
  type OutputParserConfig,
  parserInstruction,
  type Step,
  type StepContext,
  StepError,
} from '@millrace/core';
import { type AgentConfig, agentConfig } from './agent/agent-config.ts';
import { type Brief, limitsOf, writtenBrief } from './agent/brief.ts';
import { shownUsage } from './agent/limits.ts';
import { parsedAnswer } from './agent/parsed-answer.ts';
import { agentPrompt, firstCalls, nextOf } from './agent/tool-loop.ts';
import { modelErrors } from './question/classification.ts';
import { memoryMetadata, recollection } from './question/memory.ts';
import { userMessage } from './question/user-message.ts';

/** Errors of an agent besides those of its model: of its tools, and of its limits. */
const toolErrors: readonly ErrorCode[] = [
  'agent_limit',
  'mcp_changed',
  'mcp_error',
  'mcp_unavailable',
  'step_timeout',
  'tool_names',
];

export const agent = defineComponent({
  type: 'agent',
  label: 'Agent',
  category: 'AI',
  icon: 'bot',
  color: '#8b5cf6',
  description: `Sends a system prompt and a user message to a language model and outputs the answer. With tools, the model
may call them, as often as it needs to, before it answers.

Connect an \`ai_model\` by an edge labelled \`llm\`. The node's \`system_prompt\` holds the instructions; in the workflow's YAML
text it is called \`prompt\`. The user message is \`input\` if the config has it, otherwise the node's input: text as it is,
anything else as JSON. \`system_prompt\` and \`input\` may contain expressions.

\`\`\`json
{ "input": "Summarise this ticket in one sentence: {{ trigger.payload.text }}" }
\`\`\`

**Tools.** Connect nodes that have an output \`tool\` by edges labelled \`tool\`. The values in the config of such a node are
fixed; the model fills what the config leaves open, or only the parameters that its \`tool.parameters\` describes. Each call of
the model and of a tool is a step of its own, with its own log entry, retries and time limit. A crash repeats no call
that has ended. If a call fails, the model gets the error as the result, unless the tool's node has \`on_error: stop\`.
\`approve\` names the tools whose calls a person approves. \`max_steps\` and \`budgets\` limit an answer.

\`\`\`json
{ "max_steps": 10, "budgets": { "tokens": 50000, "tool_calls": 20 }, "approve": ["send_mail"] }
\`\`\`

With an \`output_parser\`, \`output\` is the value that the parser reads from the answer. If the parser cannot read it, the
step fails, and the \`metadata\` of its log entry contains the \`answer\`. Settings such as \`temperature\` apply to this node only; a
setting that the node does not have comes from the model node.

With a \`conversation_memory\`, the model also receives the earlier messages of the same chat conversation and their
answers, without the calls of tools, before the user message. The \`metadata\` of the log entry counts them
(\`remembered_turns\`), and with tools that of each call of the model; \`messages\` does not repeat them. If several
memories or several parsers are connected, the one connected last is used.`,
  errors: [...modelErrors, ...toolErrors].sort(),
  example: {
    workflow: `name: Ticket triage
trigger: webhook
model: {model_name: some-model}
steps:
  - id: triage
    type: agent
    prompt: Which team should take this ticket? Answer with one word, billing or other.
    input: "{{ trigger.payload.text }}"
  - id: refund
    type: agent
    prompt: How much does the customer get back? Use the calculator. Answer with the number.
    input: "{{ trigger.payload.text }}"
    tools: [{id: calculate, type: calculator}]
`,
    tests: `tests:
  - name: The model names a team, then calculates with a tool
    payload: {text: Where is my refund of 3 items at 14 euros?}
    models:
      - {node: triage, input: {contains: refund}, answer: billing}
      - node: refund
        calls: [{tool: calculate, arguments: {expression: 3 * 14}}]
      - {node: refund, input: '42', answer: '42'}
    expect:
      outputs: {triage: {output: billing}, refund: {output: '42'}}
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
      description: 'The tools that the model may call.',
    },
    { name: 'memory', dataType: 'memory', required: false, description: 'The earlier turns of the chat.' },
    {
      name: 'output_parser',
      dataType: 'output_parser',
      required: false,
      description: 'The parser that reads a value from the answer.',
    },
  ],
  // A repeated request costs tokens again and may return another answer, but changes nothing outside.
  effect: 'idempotent',
  version: 1,
  config: agentConfig,
  async run(step) {
    const { ctx } = step;
    const parser = parserOf(ctx);
    const system = [ctx.systemPrompt, parser === null ? '' : parserInstruction(parser)].filter(Boolean).join('\n\n');
    const question: ModelMessage = { role: 'user', content: await userMessage(ownInput(step), step.input, ctx) };
    const tools = await ctx.tools();
    if (tools.length > 0) return withTools(step, { system, question: question.content, tools, parser });
    const before = await recollection(ctx);
    const answer = await ctx.model.ask({ system, messages: [...(before?.messages ?? []), question] });
    if (answer.stop === 'refusal')
      throw new StepError('model_refused', 'The model declined to answer. Change the prompt, or use another model.');
    return {
      outputs: {
        output: parser === null ? answer.text : await parsedAnswer(parser, answer, ctx),
        // Without the earlier turns: they are stored in the chat history, where they can be deleted.
        messages: messagesOf(system, [question, { role: 'assistant', content: answer.text }]),
        usage: shownUsage(ctx.model.usage),
      },
      metadata: { stop: answer.stop, ...memoryMetadata(before) },
    };
  },
  prompt: agentPrompt,
  proceed: nextOf,
});

/** An agent with tools makes calls: each of them is a step of its own. */
function withTools(
  { config, ctx }: Step<AgentConfig>,
  asked: Pick<Brief, 'system' | 'question' | 'tools' | 'parser'>,
): CallsRequest {
  const brief: Brief = { ...asked, model: ctx.modelNodeId, ...limitsOf(config) };
  checkNames(brief);
  return firstCalls(brief, writtenBrief(brief));
}

/** @throws StepError `config` if the config names a tool that is not connected */
function checkNames({ tools, approve, toolChoice }: Brief): void {
  const names = tools.map(({ name }) => name);
  const named = [
    ...approve.filter((name) => name !== '*').map((name) => ({ key: 'approve', name })),
    ...(['auto', 'required', 'none'].includes(toolChoice) ? [] : [{ key: 'tool_choice', name: toolChoice }]),
  ];
  const unknown = named.find(({ name }) => !names.includes(name));
  if (unknown === undefined) return;
  const { key, name } = unknown;
  throw new StepError('config', `'${key}' names the tool '${name}', which is not connected. ${listed(names, '')}`);
}

/** The parser that was connected last. */
function parserOf(ctx: StepContext): OutputParserConfig | null {
  const parser = ctx.connected('output_parser').at(-1);
  // Safe: the config was validated against the parser's schema when it was stored.
  return parser === undefined ? null : (parser.config as OutputParserConfig);
}

/** Earlier releases called `input` `prompt`. Stored versions that executions still use contain the old name. */
function ownInput({ config }: Step<AgentConfig>): Json | undefined {
  return config.input ?? (config as { readonly prompt?: Json }).prompt;
}

function messagesOf(system: string, messages: readonly ModelMessage[]): Json {
  const history = messages.map(({ role, content }) => ({ role, content }));
  return system === '' ? history : [{ role: 'system', content: system }, ...history];
}
