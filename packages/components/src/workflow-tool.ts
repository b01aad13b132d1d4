import { calledResult, defineComponent, ui } from '@millrace/core';
import { z } from 'zod';

export const workflowTool = defineComponent({
  type: 'workflow_tool',
  label: 'Workflow Tool',
  category: 'Tools',
  icon: 'workflow',
  color: '#10b981',
  description: `Offers another workflow to an agent as a tool. Connect it to the agent by an edge labelled \`tool\`; it is never a step
of a run by itself.

The parameters of the tool are the \`input_schema\` of the other workflow, unless \`tool.parameters\` describes others. The
arguments of a call are the payload of its Workflow Trigger, and its \`final_output\` is the result.

\`\`\`json
{ "workflow": "find-customer", "tool": { "description": "Finds a customer by the name or the number." } }
\`\`\`

Calls follow the same rules as in a \`workflow\` node: they run with the rights of this workflow's owner and wait without a
worker. If the other execution fails, the model gets the error as the result.`,
  errors: ['step_timeout', 'subworkflow'],
  example: {
    workflow: `name: Help desk
trigger: manual
model: {model_name: some-model}
steps:
  - id: answer
    type: agent
    prompt: Answer the customer.
    input: "{{ trigger.payload.question }}"
    tools:
      - id: find_order
        type: workflow_tool
        workflow: find-order
        tool: {description: Finds an order by its number.}
`,
    tests: `workflows:
  - name: Find order
    slug: find-order
    trigger: workflow
    input_schema: {type: object, properties: {number: {type: integer}}, required: [number]}
    steps:
      - {id: order, type: template, template: 'Order {{ trigger.payload.number }} was sent on Monday.'}
tests:
  - name: The model reads the result of the other workflow
    payload: {question: Where is order 17?}
    models:
      - node: answer
        calls: [{tool: find_order, arguments: {number: 17}}]
      - {node: answer, input: {contains: sent on Monday}, answer: It is on its way.}
    expect: {final_output: It is on its way.}
`,
  },
  inputs: [],
  outputs: [{ name: 'tool', dataType: 'tool', description: 'The other workflow as a tool for agents.' }],
  subInputs: [],
  // The start of the other workflow is stored with the outcome of the call or not at all.
  effect: 'idempotent',
  tool: {
    description: 'Runs a workflow and returns its result.',
    fills: [],
    port: 'output',
    // What the workflow does is not known here.
    acts: () => true,
    describe: async ({ workflow: slug }, ctx) => (typeof slug === 'string' ? ctx.workflowInput(slug) : {}),
  },
  version: 1,
  config: z.strictObject({
    workflow: z
      .string()
      .min(1)
      .describe('The slug of the workflow to run.')
      .meta({ ...ui({ widget: 'workflow' }), examples: ['find-customer'] }),
  }),
  verbatim: ['workflow'],
  async call({ input, config, ctx }) {
    const executionId = await ctx.startWorkflow(config.workflow, input, true);
    return { pause: { kind: 'child', executionId, workflow: config.workflow } };
  },
  resume: calledResult,
});
