import { asObject, defineComponent, ui } from '@millrace/core';
import { z } from 'zod';

/** Seconds: proxies close a request that is unanswered for longer. */
const maxTimeout = 600;

export const triggerChat = defineComponent({
  type: 'trigger_chat',
  label: 'Chat Trigger',
  category: 'Triggers',
  icon: 'message-circle',
  color: '#f97316',
  description: `Starts the workflow for each message of a chat: \`POST …/chat/\` with a \`text\`. The answer is the body of a Respond node, or
otherwise the output of the workflow.

Messages with the same \`session_id\` belong to one conversation. A message to \`POST /api/v1/chat/\`, which names no workflow,
starts the default workflow of its sender.

\`\`\`json
{ "timeout": 60 }
\`\`\`

The message is \`{{ trigger.text }}\`.`,
  errors: [],
  example: {
    workflow: `name: Echo
nodes:
  - {id: chat, type: trigger_chat, timeout: 60}
  - {id: reply, type: template, template: "You said: {{ trigger.text }}"}
edges:
  - chat -> reply
`,
    tests: `tests:
  - name: The last output is the reply
    text: Hello!
    expect:
      response: {body: {contains: {text: "You said: Hello!"}}}
`,
  },
  inputs: [],
  outputs: [
    { name: 'text', dataType: 'text', description: 'The text of the message.' },
    { name: 'payload', dataType: 'object', description: 'The text and the session ID as an object.' },
    { name: 'session_id', dataType: 'text', description: 'The conversation of the message.' },
  ],
  subInputs: [],
  effect: 'pure',
  version: 1,
  config: z.strictObject({
    timeout: z
      .number()
      .positive()
      .max(maxTimeout)
      .describe(
        'The maximum time in seconds that the sender waits for the answer. A later answer is only in the history.',
      )
      .meta({ ...ui({ widget: 'duration', unit: 'seconds' }), default: 30, examples: [60] })
      .optional(),
  }),
  run({ input }) {
    const { payload = {}, text = '', session_id = '' } = asObject(input, 'trigger');
    return { outputs: { text, payload, session_id } };
  },
});
