import { asBoolean, asText, calledResult, defineComponent, expressible, ui } from '@millrace/core';
import { z } from 'zod';

export const workflow = defineComponent({
  type: 'workflow',
  label: 'Subworkflow',
  category: 'Flow',
  icon: 'workflow',
  color: '#6366f1',
  description: `Runs another workflow, starting at its Workflow Trigger, and outputs its result.

It starts the current version of the other workflow, with the rights of this workflow's owner, who must have access to it.
The execution holds no worker while it waits. If the other execution fails or is cancelled, this step fails. If this execution
is cancelled, the other one is cancelled too.

\`\`\`json
{ "workflow": "enrich-contact", "payload": { "email": "{{ trigger.payload.email }}" } }
\`\`\`

If the slug names this workflow or one that called it, the step fails. For intended recursion that ends, use an expression
as the slug; executions can call each other up to 20 levels deep.

With \`"wait": false\`, the step does not wait for the other workflow and outputs its \`execution_id\`. If the service has too
many executions, the other workflow is not started, and the step is retried later according to its \`retry\`.`,
  errors: ['config', 'step_timeout', 'subworkflow'],
  example: {
    workflow: `name: Quote
trigger: manual
steps:
  - id: price
    type: workflow
    workflow: price-of-an-item
    payload: {amount: "{{ trigger.payload.amount }}"}
  - id: quote
    type: template
    template: That is {{ price.output }} euros.
`,
    tests: `workflows:
  - name: Price of an item
    slug: price-of-an-item
    trigger: workflow
    steps:
      - {id: price, type: transform, expression: trigger.payload.amount * 3}
tests:
  - name: The output of the other workflow comes back
    payload: {amount: 4}
    expect: {final_output: That is 12 euros.}
`,
  },
  inputs: [
    {
      name: 'payload',
      dataType: 'any',
      required: false,
      suppliedBy: ['payload'],
      description: 'The payload of the other workflow, unless the config has one.',
    },
  ],
  outputs: [
    {
      name: 'output',
      dataType: 'any',
      description: 'The `final_output` of the other execution; without waiting, an object with its `execution_id`.',
    },
  ],
  subInputs: [],
  // The start of the other workflow is stored with the step's outcome or not at all.
  effect: 'idempotent',
  version: 1,
  config: z.strictObject({
    workflow: z
      .string()
      .min(1)
      .describe('The slug of the workflow to run.')
      .meta({ ...ui({ widget: 'workflow' }), examples: ['enrich-contact'] }),
    payload: z
      .json()
      .describe('The trigger payload of the other workflow. Default: the input.')
      .meta({ examples: [{ email: '{{ trigger.payload.email }}' }] })
      .optional(),
    wait: expressible(z.boolean())
      .describe('Whether to wait until the other execution ends.')
      .meta({ default: true, examples: [false] })
      .optional(),
  }),
  async run({ input, config, ctx }) {
    const slug = asText(config.workflow, 'workflow');
    const isWaitedFor = config.wait === undefined || asBoolean(config.wait, 'wait');
    const executionId = await ctx.startWorkflow(slug, config.payload ?? input, isWaitedFor);
    if (!isWaitedFor) return { outputs: { output: { execution_id: executionId } } };
    return { pause: { kind: 'child', executionId, workflow: slug } };
  },
  resume: calledResult,
});
