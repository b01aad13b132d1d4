import { defineComponent, ui } from '@millrace/core';
import { z } from 'zod';

const price = z.number().min(0).max(1_000_000);

/** The keys of a request that the node's settings and the service determine. */
const ownKeys = new Set([
  ...['model', 'messages', 'system', 'stream', 'stream_options', 'tools', 'tool_choice', 'n'],
  ...['max_tokens', 'max_completion_tokens', 'temperature', 'top_p', 'frequency_penalty', 'presence_penalty'],
  ...['response_format', 'output_config', 'reasoning_effort'],
]);

const config = z.strictObject({
  input_price: price
    .describe('The price of a million input tokens in US dollars.')
    .meta({ ...ui({ unit: 'USD per million tokens', advanced: true }), default: 0, examples: [3] })
    .optional(),
  cached_input_price: price
    .describe('The price of a million input tokens that the provider reads from its cache. Default: `input_price`.')
    .meta({ ...ui({ unit: 'USD per million tokens', advanced: true }), examples: [0.3] })
    .optional(),
  output_price: price
    .describe('The price of a million output tokens in US dollars.')
    .meta({ ...ui({ unit: 'USD per million tokens', advanced: true }), default: 0, examples: [15] })
    .optional(),
  reasoning_effort: z
    .string()
    .regex(/^[a-z]{1,20}$/, 'must be a word of the provider, such as low, medium or high')
    .describe('How much the model thinks before it answers, in a word of the provider. Default: that of the provider.')
    .meta({ ...ui({ advanced: true }), examples: ['low'] })
    .optional(),
  limit_key: z
    .enum(['max_tokens', 'max_completion_tokens'])
    .describe(
      'The name under which an OpenAI-compatible server expects `max_tokens`. Set it if a gateway renames models. Default: chosen by the name of the model.',
    )
    .meta({ ...ui({ advanced: true }), examples: ['max_completion_tokens'] })
    .optional(),
  prompt_cache: z
    .boolean()
    .describe(
      'Whether a provider of type `provider_b` caches what the calls of an agent with tools have in common. Servers of other types cache by themselves.',
    )
    .meta({ ...ui({ advanced: true }), default: true, examples: [false] })
    .optional(),
  extra_body: z
    .record(
      z.string().refine((key) => !ownKeys.has(key), 'is set by the settings of the node and by the service'),
      z.json(),
    )
    .describe('Further keys of the request, for settings that only this provider has. Default: none.')
    .meta({ ...ui({ advanced: true }), examples: [{ top_k: 40 }] })
    .optional(),
});

export const aiModel = defineComponent({
  type: 'ai_model',
  label: 'AI Model',
  category: 'Models',
  icon: 'brain',
  color: '#3b82f6',
  description: `A language model of a provider, for the nodes that are connected to it by an edge labelled \`llm\`. It is never a step of a run.

The node's \`llm_credential_id\` selects the credential and \`model_name\` the model. The settings \`temperature\`,
\`max_tokens\`, \`top_p\`, \`frequency_penalty\`, \`presence_penalty\`, \`response_format\`, \`timeout\` and \`max_retries\` apply to
every node that uses the model and does not set them itself.

If the prices are set, each execution shows its cost. \`extra_body\` passes settings to the provider that have no key
here.

\`\`\`json
{ "input_price": 3, "cached_input_price": 0.3, "output_price": 15, "extra_body": { "top_k": 40 } }
\`\`\``,
  errors: [],
  example: {
    workflow: `name: Translation
nodes:
  - {id: start, type: trigger_manual}
  - id: translate
    type: agent
    prompt: Translate the text into French.
    input: "{{ trigger.payload.text }}"
  - id: model
    type: ai_model
    model_name: some-model
    temperature: 0
    input_price: 3
    output_price: 15
edges:
  - start -> translate
  - model -llm-> translate
`,
    tests: `tests:
  - name: The usage of the agent includes the cost
    payload: {text: Good morning}
    models:
      - {answer: Bonjour, input_tokens: 1000, output_tokens: 200}
    expect:
      outputs: {translate: {output: Bonjour, usage: {contains: {cost_usd: 0.006}}}}
`,
  },
  inputs: [],
  outputs: [{ name: 'model', dataType: 'llm', description: 'The model, for the nodes that use it.' }],
  subInputs: [],
  effect: 'pure',
  version: 1,
  config,
});
