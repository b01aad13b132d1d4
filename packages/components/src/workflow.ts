import { asBoolean, asText, defineComponent, expressible, StepError } from '@millrace/core';
import { z } from 'zod';

export const workflow = defineComponent({
  type: 'workflow',
  label: 'Subworkflow',
  category: 'Flow',
  icon: 'workflow',
  color: '#6366f1',
  description: `Runs another workflow, from its Workflow Trigger on, and goes on with what that answers.

It starts the other workflow's present version, with the rights of this workflow's owner, who must see it. The execution
that waits holds no worker. When the other execution fails or is cancelled, this step fails; when this execution is
cancelled, so is the other.

\`\`\`json
{ "workflow": "enrich-contact", "payload": { "email": "{{ trigger.payload.email }}" } }
\`\`\`

A workflow that is already above this one, and is named by its slug, is not started again: the step fails. Name it by an
expression where it is to call itself and comes to an end; executions start each other 20 deep at most.

With \`"wait": false\` the other workflow goes its own way: the output is its \`execution_id\`. While the service has too many
executions it is not started, and the step tries again later, as its \`retry\` says.`,
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
      description: 'What it starts with, unless the config says.',
    },
  ],
  outputs: [
    { name: 'output', dataType: 'any', description: 'Its `final_output`; without waiting, its `execution_id`.' },
  ],
  subInputs: [],
  // What it starts is stored with its outcome, or not at all.
  effect: 'idempotent',
  version: 1,
  config: z.strictObject({
    workflow: z
      .string()
      .min(1)
      .describe('The slug of the workflow to run.')
      .meta({ examples: ['enrich-contact'] }),
    payload: z
      .json()
      .describe('Its trigger payload. Default: the input.')
      .meta({ examples: [{ email: '{{ trigger.payload.email }}' }] })
      .optional(),
    wait: expressible(z.boolean())
      .describe('Whether to wait for its end.')
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
  resume({ pause, answer }) {
    const name = pause.kind === 'child' ? pause.workflow : '';
    if (answer.kind !== 'end') {
      throw new StepError('step_timeout', `Workflow '${name}' did not end within timeout_seconds.`);
    }
    if (answer.status === 'completed') {
      const id = pause.kind === 'child' ? pause.executionId : null;
      return { outputs: { output: answer.output }, metadata: { execution_id: id } };
    }
    const reason = answer.error === null ? '' : `: ${answer.error}`;
    throw new StepError(
      'subworkflow',
      `Workflow '${name}' ${answer.status === 'failed' ? 'failed' : 'was cancelled'}${reason}`,
    );
  },
});
