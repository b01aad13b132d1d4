import { asObject, defineComponent } from '@millrace/core';
import { z } from 'zod';

export const triggerManual = defineComponent({
  type: 'trigger_manual',
  label: 'Manual Trigger',
  category: 'Triggers',
  icon: 'play',
  color: '#f97316',
  description: `Starts the workflow on request: from the editor, with
\`POST …/execute/\`, or from the command line.

Use it while you build a workflow, and for workflows that people start manually.

Every node of the execution can use the input: \`{{ trigger.payload.name }}\` is the key \`name\` of the payload, and
\`{{ trigger.text }}\` is the text.`,
  errors: [],
  example: {
    workflow: `name: Hello
nodes:
  - {id: start, type: trigger_manual}
  - {id: greet, type: template, template: "Hello, {{ trigger.payload.name }}!"}
edges:
  - start -> greet
`,
    tests: `tests:
  - name: The payload reaches every node
    payload: {name: Ada}
    expect: {final_output: "Hello, Ada!"}
`,
  },
  inputs: [],
  outputs: [
    { name: 'payload', dataType: 'any', description: 'The JSON that the execution was started with.' },
    {
      name: 'text',
      dataType: 'text',
      description: 'The text that the execution was started with; empty if there was none.',
    },
  ],
  subInputs: [],
  effect: 'pure',
  version: 1,
  config: z.strictObject({}),
  run({ input }) {
    const { payload = null, text = '' } = asObject(input, 'trigger');
    return { outputs: { payload, text } };
  },
});
