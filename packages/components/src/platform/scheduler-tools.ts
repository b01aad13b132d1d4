import { asOneOf, asText, defineComponent, type PlatformRequest, type Step, StepError } from '@millrace/core';
import { z } from 'zod';
import { callPlatform } from './call-platform.ts';

const operations = ['list', 'start', 'pause', 'stop'] as const;

/** The default, and the characters of slugs and node ids: a value with others would name another endpoint. */
const safeName = /^[A-Za-z0-9_-]{1,100}$/;

const config = z.strictObject({
  operations: z
    .array(z.enum(operations))
    .min(1)
    .describe('What the model may do with schedules.')
    .meta({ default: ['list'], examples: [['list', 'pause']] })
    .optional(),
  operation: z
    .string()
    .describe('One of `operations`. Default: the model chooses it.')
    .meta({ examples: ['list'] })
    .optional(),
  workflow: z
    .string()
    .describe('The slug of the workflow whose schedule to change. Default: the model gives it.')
    .meta({ examples: ['send-invoices'] })
    .optional(),
  node_id: z
    .string()
    .describe('The id of its Schedule Trigger. Default: the model gives it.')
    .meta({ examples: ['every_morning'] })
    .optional(),
});

type Config = z.infer<typeof config>;

export const schedulerTools = defineComponent({
  type: 'scheduler_tools',
  label: 'Scheduler Tools',
  category: 'Agent',
  icon: 'calendar-cog',
  color: '#14b8a6',
  description: `Lets an agent see the schedules of the owner of this workflow, and start, pause or stop them. Connect it to the agent by an
edge labelled \`tool\`; it is never a step of a run by itself.

By default the model can only list schedules. \`operations\` allows more:

\`\`\`json
{ "operations": ["list", "pause", "start"] }
\`\`\`

A call without \`operation\` lists the schedules with their next times. \`start\`, \`pause\` and \`stop\` need \`workflow\` and
\`node_id\`, as the list gives them.`,
  errors: ['config', 'platform'],
  example: {
    workflow: `name: Caretaker
trigger: manual
model: {model_name: some-model}
steps:
  - id: answer
    type: agent
    prompt: Look after the schedules.
    input: "{{ trigger.payload.question }}"
    tools: [{id: schedules, type: scheduler_tools}]
`,
    tests: `workflows:
  - name: Invoices
    slug: invoices
    trigger: {id: daily, type: schedule, cron: 0 9 * * *}
    steps: [{id: done, type: template, template: sent}]
tests:
  - name: The agent lists the schedules, and may not pause one
    payload: {question: Pause the invoices.}
    models:
      - {node: answer, calls: [{tool: schedules, arguments: {operation: list}}]}
      - node: answer
        input: {contains: invoices}
        calls: [{tool: schedules, arguments: {operation: pause, workflow: invoices, node_id: daily}}]
      - {node: answer, input: {contains: "may not 'pause'"}, answer: I may only list them.}
    expect: {final_output: I may only list them.}
`,
  },
  inputs: [],
  outputs: [{ name: 'tool', dataType: 'tool', description: 'The schedules, as a tool for agents.' }],
  subInputs: [],
  // To start, pause or stop a schedule twice has the same effect as once.
  effect: 'idempotent',
  tool: {
    description:
      "Lists the schedules (operation 'list'), or starts, pauses or stops one of them by its workflow and node_id.",
    fills: ['operation', 'workflow', 'node_id'],
    port: 'result',
    acts: ({ operations: allowed, operation }) =>
      operation !== 'list' && Array.isArray(allowed) && allowed.some((one) => one !== 'list'),
  },
  version: 1,
  config,
  verbatim: ['operations'],
  async call(step: Step<Config>) {
    return { outputs: { result: await callPlatform(step.ctx, requestOf(step.config)) } };
  },
});

function requestOf({
  operations: allowed = ['list'],
  operation = 'list',
  workflow,
  node_id: nodeId,
}: Config): PlatformRequest {
  const wanted = asOneOf(operation, 'operation', operations);
  if (!allowed.includes(wanted))
    throw new StepError('platform', `This tool may not '${wanted}' schedules, only: ${allowed.join(', ')}.`);
  if (wanted === 'list') return { method: 'GET', path: '/api/v1/schedules/' };
  const [slug, node] = [nameIn(workflow, 'workflow'), nameIn(nodeId, 'node_id')];
  return { method: 'POST', path: `/api/v1/workflows/${slug}/nodes/${node}/schedule/${wanted}/` };
}

function nameIn(given: string | undefined, key: string): string {
  if (given === undefined) throw new StepError('config', `'${key}' is missing: give it as the list of schedules does.`);
  const name = asText(given, key);
  if (safeName.test(name)) return name;
  throw new StepError('config', `'${key}' must be 1 to 100 letters, digits, - or _.`);
}
