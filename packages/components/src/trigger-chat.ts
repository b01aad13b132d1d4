import { asObject, defineComponent } from '@millrace/core';
import { z } from 'zod';

/** Seconds: proxies give up on a request that stays without an answer for longer. */
const maxTimeout = 600;

export const triggerChat = defineComponent({
  type: 'trigger_chat',
  label: 'Chat Trigger',
  category: 'Triggers',
  icon: 'message-circle',
  color: '#f97316',
  description: `Starts the workflow for each message of a chat: \`POST …/chat/\` with a \`text\`. What the workflow puts out at its
end, or what a Respond node says, is the answer.

Messages with the same \`session_id\` are one conversation. A message of the \`POST /api/v1/chat/\`, which names no workflow, goes
to its sender's default workflow.

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
    { name: 'text', dataType: 'text', description: 'What was said.' },
    { name: 'payload', dataType: 'object', description: 'The text and the session, as an object.' },
    { name: 'session_id', dataType: 'text', description: 'Which conversation it belongs to.' },
  ],
  subInputs: [],
  effect: 'pure',
  version: 1,
  config: z.strictObject({
    timeout: z
      .number()
      .positive()
      .max(maxTimeout)
      .describe('How many seconds the sender waits for the answer. After that it is in the history.')
      .meta({ default: 30, examples: [60] })
      .optional(),
  }),
  run({ input }) {
    const { payload = {}, text = '', session_id = '' } = asObject(input, 'trigger');
    return { outputs: { text, payload, session_id } };
  },
});
