import { asObject, defineComponent } from '@millrace/core';
import { z } from 'zod';

export const triggerError = defineComponent({
  type: 'trigger_error',
  label: 'Error Trigger',
  category: 'Triggers',
  icon: 'siren',
  color: '#f97316',
  description: `Starts the workflow when an execution of another workflow fails, if that workflow has this one as its error handler
(\`error_handler_workflow_id\`).

Use it to notify someone, to open a ticket or to undo incomplete work. It is started once for each failed execution. If
an execution that this trigger started fails, no further one is started.

\`{{ trigger.payload.error }}\` is the error message, \`{{ trigger.payload.workflow }}\` the slug of the workflow that failed,
\`{{ trigger.payload.node_id }}\` the node that failed, and \`{{ trigger.payload.payload }}\` the payload of the failed execution.`,
  errors: [],
  example: {
    workflow: `name: Alarm
nodes:
  - {id: failed, type: trigger_error}
  - id: notify
    type: http_request
    method: POST
    url: https://alarm.example/messages
    body: "{{ trigger.payload.workflow }} failed: {{ trigger.payload.error }}"
edges:
  - failed -> notify
`,
    tests: `tests:
  - name: The failure is reported
    payload: {workflow: orders, error: The shop is closed.}
    http:
      - request:
          method: POST
          url: https://alarm.example/messages
          body: "orders failed: The shop is closed."
        response: {status: 204}
    expect: {path: [failed, notify]}
`,
  },
  inputs: [],
  outputs: [
    {
      name: 'error',
      dataType: 'object',
      description: 'The error: `execution_id`, `workflow`, `node_id`, `error`, `error_code` and `payload`.',
    },
  ],
  subInputs: [],
  effect: 'pure',
  version: 1,
  config: z.strictObject({}),
  run({ input }) {
    const { payload = {} } = asObject(input, 'trigger');
    return { outputs: { error: payload } };
  },
});
