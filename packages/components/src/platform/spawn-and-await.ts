import { asText, calledResult, defineComponent, type Step, StepError, ui } from '@millrace/core';
import { z } from 'zod';

const config = z.strictObject({
  workflow: z
    .string()
    .min(1)
    .describe('The slug of the workflow to run. Default: the model chooses it.')
    .meta({ ...ui({ widget: 'workflow' }), examples: ['find-customer'] })
    .optional(),
  payload: z
    .json()
    .describe('The payload of its Workflow Trigger. Default: the model gives it.')
    .meta({ examples: [{ number: 17 }] })
    .optional(),
  only: z
    .array(z.string().min(1))
    .describe('The slugs that the model may choose from. Default: all workflows that the owner may run.')
    .meta({ examples: [['find-customer', 'find-order']] })
    .optional(),
});

type Config = z.infer<typeof config>;

export const spawnAndAwait = defineComponent({
  type: 'spawn_and_await',
  label: 'Spawn and Await',
  category: 'Agent',
  icon: 'git-branch-plus',
  color: '#14b8a6',
  description: `Lets an agent run a workflow that it chooses, and wait for its result. Connect it to the agent by an edge labelled
\`tool\`; it is never a step of a run by itself.

The workflow needs an active Workflow Trigger and runs with the rights of this workflow's owner. List the slugs that the
model may choose from in \`only\`; without it, the model may run every workflow that the owner may run. For one known
workflow, \`workflow_tool\` is better: the model then knows its parameters.

\`\`\`json
{ "only": ["find-customer", "find-order"] }
\`\`\``,
  errors: ['config', 'platform', 'step_timeout', 'subworkflow'],
  example: {
    workflow: `name: Help desk
trigger: manual
model: {model_name: some-model}
steps:
  - id: answer
    type: agent
    prompt: Answer the customer.
    input: "{{ trigger.payload.question }}"
    tools: [{id: run, type: spawn_and_await, only: [find-order]}]
`,
    tests: `workflows:
  - name: Find order
    slug: find-order
    trigger: workflow
    steps:
      - {id: order, type: template, template: 'Order {{ trigger.payload.number }} was sent on Monday.'}
tests:
  - name: The model runs the workflow
    payload: {question: Where is order 17?}
    models:
      - {node: answer, calls: [{tool: run, arguments: {workflow: find-order, payload: {number: 17}}}]}
      - {node: answer, input: {contains: sent on Monday}, answer: It is on its way.}
    expect: {final_output: It is on its way.}
  - name: The model may not run any other workflow
    payload: {question: Delete everything.}
    models:
      - {node: answer, calls: [{tool: run, arguments: {workflow: delete-all}}]}
      - {node: answer, input: {contains: find-order}, answer: I cannot do that.}
    expect: {final_output: I cannot do that.}
`,
  },
  inputs: [],
  outputs: [{ name: 'tool', dataType: 'tool', description: 'Other workflows, as a tool for agents.' }],
  subInputs: [],
  // The start of the other workflow is stored with the outcome of the call or not at all.
  effect: 'idempotent',
  tool: {
    description: 'Runs a workflow by its slug with a payload, and returns its result.',
    fills: ['workflow', 'payload'],
    requires: ['workflow'],
    port: 'output',
    // What the workflow does is not known here.
    acts: () => true,
  },
  version: 1,
  config,
  verbatim: ['only'],
  async call({ config: { workflow, payload = {}, only }, ctx }: Step<Config>) {
    if (workflow === undefined) throw new StepError('config', "'workflow' is missing: give the slug of a workflow.");
    const slug = asText(workflow, 'workflow');
    if (only !== undefined && !only.includes(slug)) {
      throw new StepError('platform', `Workflow '${slug}' may not be run here. Allowed: ${only.join(', ') || 'none'}.`);
    }
    const executionId = await ctx.startWorkflow(slug, payload, true);
    return { pause: { kind: 'child', executionId, workflow: slug } };
  },
  resume: calledResult,
});
