import { defineComponent } from '@millrace/core';
import { z } from 'zod';
import { callPlatform } from './call-platform.ts';

export const whoami = defineComponent({
  type: 'whoami',
  label: 'Who Am I',
  category: 'Agent',
  icon: 'circle-user',
  color: '#14b8a6',
  description: `Lets an agent ask for whom it works: the owner of the workflow, whose rights all tools of this kind have. Connect it to
the agent by an edge labelled \`tool\`; it is never a step of a run by itself.

The result is \`{id, username, is_admin, created_at}\`.`,
  errors: ['platform'],
  example: {
    workflow: `name: Who is it
trigger: manual
model: {model_name: some-model}
steps:
  - id: answer
    type: agent
    prompt: Answer the question.
    input: "{{ trigger.payload.question }}"
    tools: [{id: me, type: whoami}]
`,
    tests: `tests:
  - name: The agent asks for whom it works
    payload: {question: Whose agent are you?}
    models:
      - {node: answer, calls: [{tool: me, arguments: {}}]}
      - {node: answer, input: {contains: '"username"'}, answer: I work for the owner of this workflow.}
    expect: {final_output: I work for the owner of this workflow.}
`,
  },
  inputs: [],
  outputs: [{ name: 'tool', dataType: 'tool', description: 'The owner of the workflow, as a tool for agents.' }],
  subInputs: [],
  effect: 'idempotent',
  tool: {
    description: 'Returns the user for whom you work.',
    fills: [],
    port: 'result',
  },
  version: 1,
  config: z.strictObject({}),
  async call({ ctx }) {
    const result = await callPlatform(ctx, { method: 'GET', path: '/api/v1/users/me/' });
    return { outputs: { result } };
  },
});
