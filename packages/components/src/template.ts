import {
  defineComponent,
  type Json,
  type Meter,
  type SlicedWork,
  StepError,
  type StepResult,
  ui,
  writtenJson,
} from '@millrace/core';
import { z } from 'zod';

const config = z.strictObject({
  template: z
    .string()
    .describe('The text, with expressions in double braces.')
    .meta({ ...ui({ widget: 'prompt' }), examples: ['Dear {{ trigger.payload.name }}, welcome!'] })
    .optional(),
});

export const template = defineComponent({
  type: 'template',
  label: 'Template',
  category: 'Logic',
  icon: 'file-text',
  color: '#6366f1',
  description: `Outputs a text that contains values of earlier nodes.

Use it for messages, prompts and documents. Filters format a value: \`{{ trigger.payload.name | upper }}\`.

\`\`\`json
{ "template": "Dear {{ trigger.payload.name }}, your order {{ trigger.payload.order.id }} is on its way." }
\`\`\`

A name that does not exist is an error, never an empty text.`,
  errors: ['config'],
  example: {
    workflow: `name: Greeting
trigger: manual
steps:
  - id: greet
    type: template
    template: Dear {{ trigger.payload.name | title }}, welcome!
`,
    tests: `tests:
  - name: The name is filled in
    payload: {name: ada}
    expect: {final_output: "Dear Ada, welcome!"}
  - name: A missing name is an error
    payload: {}
    expect: {error: {node: greet, code: expression}}
`,
  },
  inputs: [
    {
      name: 'input',
      dataType: 'any',
      required: false,
      description: 'Connects the node to the steps before it; the text does not use it.',
    },
  ],
  outputs: [{ name: 'output', dataType: 'text', description: 'The text.' }],
  subInputs: [],
  effect: 'pure',
  version: 1,
  needs: ['template'],
  config,
  run({ config, ctx }) {
    const text: Json | undefined = config.template;
    if (text === undefined) throw new StepError('config', "'template' is missing: enter the text.");
    if (typeof text === 'string') return { outputs: { output: text } };
    // A template that is one expression keeps the type of its value, but this port carries text.
    return ctx.inSlices(written(text, ctx.meter));
  },
});

function* written(value: Json, meter: Meter): SlicedWork<StepResult> {
  return { outputs: { output: yield* writtenJson(value, meter) } };
}
