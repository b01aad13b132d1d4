import {
  defineComponent,
  type JsonObject,
  type OutputParserConfig,
  type StepContext,
  StepError,
  ui,
} from '@millrace/core';
import { z } from 'zod';
import { modelErrors } from './question/classification.ts';
import { forcedAnswer } from './question/forced-answer.ts';
import { userMessage } from './question/user-message.ts';

const defaultAttempts = 3;

export const extractor = defineComponent({
  type: 'extractor',
  label: 'Extractor',
  category: 'AI',
  icon: 'text-select',
  color: '#8b5cf6',
  description: `Asks a model to read values from a text, as an object that matches a JSON Schema.

Connect an \`ai_model\` by an edge labelled \`llm\`. The \`schema\` describes the object; descriptions of its properties are
instructions for the model. Instead of \`schema\`, an \`output_parser\` with a schema can be connected. \`system_prompt\` may add
instructions.

\`\`\`json
{
  "schema": {
    "type": "object",
    "properties": {
      "order": { "type": "integer", "description": "The number of the order." },
      "reason": { "type": "string" }
    },
    "required": ["order"]
  }
}
\`\`\`

If the answer does not match, the model is asked again with the reason, up to \`attempts\` times. Then the step fails with
\`model_output\`, and the \`metadata\` of its log entry contains the \`answer\`.`,
  errors: [...modelErrors],
  example: {
    workflow: `name: Read an order
trigger: manual
model: {model_name: some-model}
steps:
  - id: read
    type: extractor
    input: "{{ trigger.payload.text }}"
    schema: {type: object, properties: {order: {type: integer}}, required: [order]}
`,
    tests: `tests:
  - name: An answer that does not match is corrected
    payload: {text: 'Order 17, please.'}
    models:
      - node: read
        calls: [{tool: extract, arguments: {order: seventeen}}]
      - node: read
        calls: [{tool: extract, arguments: {order: 17}}]
    expect:
      outputs: {read: {extracted: {order: 17}}}
`,
  },
  inputs: [
    {
      name: 'input',
      dataType: 'text',
      required: true,
      suppliedBy: ['input'],
      description: 'The text, unless the config has one.',
    },
  ],
  outputs: [{ name: 'extracted', dataType: 'object', description: 'The object.' }],
  subInputs: [
    { name: 'model', dataType: 'llm', required: true, description: 'The model.' },
    {
      name: 'output_parser',
      dataType: 'output_parser',
      required: false,
      description: 'A parser whose schema is used instead of `schema`.',
    },
  ],
  // A repeated request costs tokens again and may return another answer, but changes nothing outside.
  effect: 'idempotent',
  version: 1,
  config: z.strictObject({
    input: z
      .json()
      .describe('The text to read, or any value as JSON. Default: the input.')
      .meta({ ...ui({ widget: 'prompt' }), examples: ['{{ trigger.payload.text }}'] })
      .optional(),
    schema: z
      .record(z.string(), z.json())
      .describe('The JSON Schema (2020-12) of the object.')
      .meta({
        ...ui({ widget: 'json' }),
        examples: [{ type: 'object', properties: { order: { type: 'integer' } }, required: ['order'] }],
      })
      .optional(),
    attempts: z
      .int()
      .min(1)
      .max(5)
      .describe('How often the model is asked if its answer does not match.')
      .meta({ ...ui({ advanced: true }), default: defaultAttempts, examples: [2] })
      .optional(),
  }),
  verbatim: ['schema'],
  async run({ input, config, ctx }) {
    const parameters = { properties: {}, ...schemaOf(config.schema, ctx), type: 'object' };
    const extracted = await forcedAnswer(
      {
        system: [ctx.systemPrompt, instruction].filter(Boolean).join('\n\n'),
        messages: [{ role: 'user', content: await userMessage(config.input, input, ctx) }],
        tool: { name: 'extract', description: 'Records the values.', parameters },
        attempts: config.attempts ?? defaultAttempts,
      },
      ctx,
    );
    return { outputs: { extracted } };
  },
});

const instruction =
  'Read the values from the message of the user, and call the function with them. Do not invent values that the message does not contain.';

/** @throws StepError `config` without a schema of an object */
function schemaOf(own: JsonObject | undefined, ctx: StepContext): JsonObject {
  const parser = ctx.connected('output_parser').at(-1)?.config as OutputParserConfig | undefined;
  const schema = own ?? (parser?.schema as JsonObject | undefined);
  if (schema === undefined)
    throw new StepError('config', "'schema' is missing: describe the object, or connect a parser that has a schema.");
  if (schema.type === undefined || schema.type === 'object') return schema;
  throw new StepError('config', `'schema' must be that of an object, not of ${JSON.stringify(schema.type)}.`);
}
