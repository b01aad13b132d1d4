import { defineComponent } from '@millrace/core';
import { z } from 'zod';
import { classesKey, classificationKeys, classOf, modelErrors } from './question/classification.ts';

export const router = defineComponent({
  type: 'router',
  label: 'Router',
  category: 'AI',
  icon: 'signpost',
  color: '#8b5cf6',
  description: `Asks a model which of several routes a text should take. A \`switch\` after it leads there.

Connect an \`ai_model\` by an edge labelled \`llm\`. The model must choose one of the \`routes\`, or \`other\` if nothing fits. The
switch compares the output \`route\` in its rules, or uses it as its \`expression\`: then its conditional edges have the
names of the routes.

\`\`\`json
{
  "routes": [
    { "name": "answer", "description": "A question that the handbook answers." },
    { "name": "human", "description": "A complaint, or a wish to talk to a person." }
  ]
}
\`\`\`

If the answer is invalid, the model is asked again with the reason, up to \`attempts\` times.`,
  errors: [...modelErrors],
  example: {
    workflow: `name: Route messages
trigger: manual
model: {model_name: some-model}
steps:
  - id: choose
    type: router
    input: "{{ trigger.payload.text }}"
    routes:
      - {name: answer, description: A question that the handbook answers.}
      - {name: human, description: A complaint.}
  - id: lead
    type: switch
    rules: [{id: human, field: choose.route, operator: equals, value: human, route: person}]
    default: reply
  - id: person
    type: template
    template: A person will answer.
  - id: reply
    type: template
    template: See the handbook.
`,
    tests: `tests:
  - name: A complaint reaches a person
    payload: {text: This is a scandal!}
    models:
      - node: choose
        calls: [{tool: classify, arguments: {name: human, confidence: 1}}]
    expect: {final_output: A person will answer.}
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
  outputs: [{ name: 'route', dataType: 'text', description: 'The name of the route, or `other`.' }],
  subInputs: [
    { name: 'model', dataType: 'llm', required: true, description: 'The model.' },
    { name: 'memory', dataType: 'memory', required: false, description: 'The earlier turns of the chat.' },
  ],
  // A repeated request costs tokens again and may return another answer, but changes nothing outside.
  effect: 'idempotent',
  version: 1,
  needs: ['routes'],
  config: z.strictObject({
    ...classificationKeys,
    routes: classesKey('The routes, with what belongs to each.').optional(),
  }),
  async run({ input, config, ctx }) {
    const { name, confidence } = await classOf({ input, config, classes: config.routes ?? [], ctx });
    return { outputs: { route: name }, metadata: { confidence } };
  },
});
