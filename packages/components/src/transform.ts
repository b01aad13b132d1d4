import { asObject, defineComponent, type Json, ui } from '@millrace/core';
import { z } from 'zod';

const config = z
  .strictObject({
    expression: z
      .string()
      .min(1)
      .describe('An expression, without braces, whose value is the output, e.g. `trigger.payload.items | first`.')
      .meta({ ...ui({ widget: 'expression' }), examples: ['trigger.payload.items | first'] })
      .optional(),
    fields: z
      .record(z.string(), z.json())
      .describe(
        'Instead of an expression: the keys of the output object, each with a value that may contain expressions.',
      )
      .meta({ examples: [{ name: '{{ trigger.payload.name }}', source: 'web' }] })
      .optional(),
  })
  .refine(({ expression, fields }) => expression === undefined || fields === undefined, {
    path: ['fields'],
    error: 'Set either an expression or fields, not both.',
  });

export const transform = defineComponent({
  type: 'transform',
  label: 'Transform',
  category: 'Logic',
  icon: 'replace',
  color: '#6366f1',
  description: `Creates a new value from the outputs of earlier nodes: with one expression, or as an object with several fields. If
neither is set, it passes its input on.

Use it to give a later step exactly the shape it needs. A text that is one single expression keeps the type of its value:

\`\`\`json
{
  "fields": {
    "name": "{{ trigger.payload.first_name }} {{ trigger.payload.last_name }}",
    "items": "{{ trigger.payload.items }}",
    "source": "web"
  }
}
\`\`\``,
  errors: ['config'],
  example: {
    workflow: `name: Contact
trigger: webhook
steps:
  - id: contact
    type: transform
    fields:
      name: "{{ trigger.payload.first_name }} {{ trigger.payload.last_name }}"
      tags: "{{ trigger.payload.tags }}"
`,
    tests: `tests:
  - name: A value that is one expression keeps its type
    payload: {first_name: Ada, last_name: Mill, tags: [new]}
    expect: {final_output: {name: Ada Mill, tags: [new]}}
`,
  },
  inputs: [
    {
      name: 'input',
      dataType: 'any',
      required: false,
      description: 'The value that is passed on if nothing is configured.',
    },
  ],
  outputs: [{ name: 'output', dataType: 'any', description: 'The new value.' }],
  subInputs: [],
  effect: 'pure',
  version: 1,
  config,
  bareExpressions: ['expression'],
  run({ input, config }) {
    // The evaluated expression can be any JSON, whatever the type in the config's schema.
    const value: Json | undefined = config.expression;
    if (value !== undefined) return { outputs: { output: value } };
    return { outputs: { output: config.fields === undefined ? input : asObject(config.fields, 'fields') } };
  },
});
