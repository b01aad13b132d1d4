import { asText, defineComponent, isObject, type Step, StepError } from '@millrace/core';
import { z } from 'zod';
import { callPlatform } from './call-platform.ts';

const config = z.strictObject({
  yaml_str: z
    .string()
    .min(1)
    .describe('The workflow as YAML text. Default: the model writes it.')
    .meta({
      examples: ['name: {{ args.name }}\ntrigger: manual\nsteps:\n  - {id: hello, type: template, template: Hello}\n'],
    })
    .optional(),
});

type Config = z.infer<typeof config>;

export const workflowCreate = defineComponent({
  type: 'workflow_create',
  label: 'Workflow Create',
  category: 'Agent',
  icon: 'file-plus-2',
  color: '#14b8a6',
  description: `Lets an agent create a workflow from YAML text, for the owner of this workflow. Connect it to the agent by an edge labelled
\`tool\`; it is never a step of a run by itself.

The new workflow is inactive, whatever its text says, so nothing starts it before a person has looked at it and activated
it. An existing workflow is never changed: its slug makes the call fail. The result is \`{slug, name, is_active, issues}\`;
\`issues\` are the errors and warnings that validation finds, which the model can correct.

\`tool.asks\` lets a person approve each call:

\`\`\`json
{ "tool": { "asks": true } }
\`\`\``,
  errors: ['config', 'platform'],
  example: {
    workflow: `name: Workflow writer
trigger: manual
model: {model_name: some-model}
steps:
  - id: answer
    type: agent
    prompt: Write the workflow that the user asks for.
    input: "{{ trigger.payload.wish }}"
    tools: [{id: create, type: workflow_create}]
`,
    tests: `tests:
  - name: The workflow is created and stays inactive
    payload: {wish: A workflow that greets.}
    models:
      - node: answer
        calls:
          - tool: create
            arguments:
              yaml_str: |
                name: Greeting
                trigger: manual
                steps:
                  - {id: hello, type: template, template: Hello}
      - {node: answer, input: {contains: '"is_active":false'}, answer: Greeting is ready to be activated.}
    expect: {final_output: Greeting is ready to be activated.}
`,
  },
  inputs: [],
  outputs: [{ name: 'tool', dataType: 'tool', description: 'The creation of workflows, as a tool for agents.' }],
  subInputs: [],
  // A second import would fail with a conflict, which would hide that the first one succeeded.
  effect: 'once',
  tool: {
    description:
      'Creates an inactive workflow from YAML text with the keys name, trigger and steps. Never changes an existing one.',
    fills: ['yaml_str'],
    requires: ['yaml_str'],
    port: 'result',
  },
  version: 1,
  config,
  async call({ config: { yaml_str: yaml }, ctx }: Step<Config>) {
    if (yaml === undefined) throw new StepError('config', "'yaml_str' is missing: enter the workflow as YAML text.");
    const body = { yaml_str: asText(yaml, 'yaml_str'), must_be_new: true, is_active: false };
    const created = await callPlatform(ctx, { method: 'POST', path: '/api/v1/workflows/import/', body });
    const { slug = null, name = null, is_active: isActive = null, issues = [] } = isObject(created) ? created : {};
    return { outputs: { result: { slug, name, is_active: isActive, issues } } };
  },
});
