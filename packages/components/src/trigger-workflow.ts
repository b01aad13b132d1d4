import { asObject, defineComponent } from '@millrace/core';
import { z } from 'zod';

export const triggerWorkflow = defineComponent({
  type: 'trigger_workflow',
  label: 'Workflow Trigger',
  category: 'Triggers',
  icon: 'workflow',
  color: '#f97316',
  description: `Starts the workflow when another workflow calls it.

Use it for a part that several workflows share. The payload is what the caller sends. The caller receives the answer of a
Respond node, or otherwise the output of the last node.

The payload's key \`order_id\` is \`{{ trigger.payload.order_id }}\`.`,
  errors: [],
  example: {
    workflow: `name: Price of an item
nodes:
  - {id: called, type: trigger_workflow}
  - {id: price, type: transform, expression: trigger.payload.amount * 3}
edges:
  - called -> price
`,
    tests: `tests:
  - name: The last output goes back to the caller
    payload: {amount: 4}
    expect: {final_output: 12}
`,
  },
  inputs: [],
  outputs: [
    { name: 'payload', dataType: 'any', description: 'The payload from the calling workflow.' },
    {
      name: 'text',
      dataType: 'text',
      description: 'The text from the calling workflow; empty if there was none.',
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
