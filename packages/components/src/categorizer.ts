import { defineComponent } from '@millrace/core';
import { z } from 'zod';
import { classesKey, classificationKeys, classOf, modelErrors } from './question/classification.ts';

export const categorizer = defineComponent({
  type: 'categorizer',
  label: 'Categorizer',
  category: 'AI',
  icon: 'tags',
  color: '#8b5cf6',
  description: `Asks a model which of several categories a text belongs to.

Connect an \`ai_model\` by an edge labelled \`llm\`. The model must choose one of the \`categories\`, or \`other\` if nothing fits.
\`system_prompt\` may add instructions. With a \`conversation_memory\` the model also receives the earlier messages of the chat.

\`\`\`json
{
  "categories": [
    { "name": "billing", "description": "Invoices, refunds and prices." },
    { "name": "support", "description": "Something does not work." }
  ]
}
\`\`\`

\`confidence\` is what the model says about itself, from 0 to 1. It is no probability. If the answer is invalid, the model is
asked again with the reason, up to \`attempts\` times.`,
  errors: [...modelErrors],
  example: {
    workflow: `name: Sort tickets
trigger: manual
model: {model_name: some-model}
steps:
  - id: team
    type: categorizer
    input: "{{ trigger.payload.text }}"
    categories:
      - {name: billing, description: 'Invoices, refunds and prices.'}
      - {name: support, description: Something does not work.}
`,
    tests: `tests:
  - name: A question about money goes to billing
    payload: {text: Where is my refund?}
    models:
      - node: team
        calls: [{tool: classify, arguments: {name: billing, confidence: 0.9}}]
    expect:
      outputs: {team: {category: billing, confidence: 0.9}}
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
  outputs: [
    { name: 'category', dataType: 'text', description: 'The name of the category, or `other`.' },
    { name: 'confidence', dataType: 'number', description: 'How sure the model says it is, from 0 to 1.' },
  ],
  subInputs: [
    { name: 'model', dataType: 'llm', required: true, description: 'The model.' },
    { name: 'memory', dataType: 'memory', required: false, description: 'The earlier turns of the chat.' },
  ],
  // A repeated request costs tokens again and may return another answer, but changes nothing outside.
  effect: 'idempotent',
  version: 1,
  needs: ['categories'],
  config: z.strictObject({
    ...classificationKeys,
    categories: classesKey('The categories, with what belongs to each.').optional(),
  }),
  async run({ input, config, ctx }) {
    const { name, confidence } = await classOf({ input, config, classes: config.categories ?? [], ctx });
    return { outputs: { category: name, confidence } };
  },
});
