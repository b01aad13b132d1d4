import { defineComponent, isObject, type Json } from '@millrace/core';
import { z } from 'zod';
import { callPlatform } from './call-platform.ts';

/** The states of executions that have not ended, and of those that need attention. */
const states = ['pending', 'running', 'interrupted', 'failed'] as const;

export const systemHealth = defineComponent({
  type: 'system_health',
  label: 'System Health',
  category: 'Agent',
  icon: 'heart-pulse',
  color: '#14b8a6',
  description: `Lets an agent see whether this service works. Connect it to the agent by an edge labelled \`tool\`; it is never a step of a
run by itself.

The result is \`{health, executions}\`: the answer of \`GET /health/\`, and how many executions of the owner's workflows are
pending, running, interrupted (waiting for a person) and failed.`,
  errors: ['platform'],
  example: {
    workflow: `name: Watchman
trigger: manual
model: {model_name: some-model}
steps:
  - id: answer
    type: agent
    prompt: Say whether everything works.
    input: How is the service?
    tools: [{id: health, type: system_health}]
`,
    tests: `tests:
  - name: The agent reads the state of the service
    payload: {}
    models:
      - {node: answer, calls: [{tool: health, arguments: {}}]}
      - {node: answer, input: {contains: '"running":1'}, answer: All is well.}
    expect: {final_output: All is well.}
`,
  },
  inputs: [],
  outputs: [{ name: 'tool', dataType: 'tool', description: 'The state of the service, as a tool for agents.' }],
  subInputs: [],
  effect: 'idempotent',
  tool: {
    description:
      'Returns whether the service works, and how many executions are pending, running, interrupted and failed.',
    fills: [],
    port: 'result',
  },
  version: 1,
  config: z.strictObject({}),
  async call({ ctx }) {
    const { body: health } = await ctx.platform({ method: 'GET', path: '/health/' });
    const executions: Record<string, Json> = {};
    for (const status of states) {
      const query = { status, limit: '1' };
      const list = await callPlatform(ctx, { method: 'GET', path: '/api/v1/executions/', query });
      executions[status] = (isObject(list) ? list.total : null) ?? null;
    }
    return { outputs: { result: { health, executions } } };
  },
});
