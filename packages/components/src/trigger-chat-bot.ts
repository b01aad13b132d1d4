import { asObject, botChatTypes, botModes, defineComponent, isArray, ui } from '@millrace/core';
import { z } from 'zod';

/** Commands of the platform have at most 32 characters, and a slash. */
const maxCommand = 33;

/** Characters of a pattern: longer ones are not readable. */
const maxBotPattern = 1000;

const config = z.strictObject({
  mode: z
    .enum(botModes)
    .describe(
      'How messages arrive: the service asks the platform for them (`polling`), or the platform sends them to the public ' +
        'address of the service (`webhook`).',
    )
    .meta({ ...ui({ advanced: true }), default: 'polling', examples: ['webhook'] })
    .optional(),
  command: z
    .string()
    .max(maxCommand)
    .regex(/^\/?[A-Za-z0-9_]{1,32}$/, 'must be letters, digits and _, with or without a / in front')
    .describe('Only messages that begin with this command. Default: every message.')
    .meta({ ...ui({ widget: 'path' }), examples: ['start'] })
    .optional(),
  pattern: z
    .string()
    .min(1)
    .max(maxBotPattern)
    .describe('Only messages whose text matches this regular expression. Default: every message.')
    .meta({ ...ui({ widget: 'pattern' }), examples: ['(?i)order [A-Z]\\d+'] })
    .optional(),
  chat_types: z
    .array(z.enum(botChatTypes))
    .min(1)
    .describe('Only messages in chats of these types.')
    .meta({ default: ['private'], examples: [['private', 'group', 'supergroup']] })
    .optional(),
  reply: z
    .boolean()
    .describe('Whether the answer of the execution is sent to the chat, if it is text.')
    .meta({ default: true, examples: [false] })
    .optional(),
});

export const triggerChatBot = defineComponent({
  type: 'trigger_chat_bot',
  label: 'Chat Bot Trigger',
  category: 'Triggers',
  icon: 'bot-message-square',
  color: '#f97316',
  description: `Starts the workflow for each message to a bot. The bot is a \`chat_bot\` credential, selected in \`credential_id\`;
[Chat bots](../chat-bots.md) describes how to create one.

\`\`\`json
{ "command": "order", "chat_types": ["private", "group"] }
\`\`\`

Only the users in \`allowed_user_ids\` of the credential can start it: an empty list admits nobody, and \`*\` everybody.

The message is \`{{ trigger.text }}\`. \`{{ trigger.payload }}\` has \`text\`, \`chat_id\`, \`chat_type\`, \`user_id\`, \`message_id\`, \`name\`,
\`username\`, \`language\`, the \`command\` with its \`arguments\`, \`files\`, and the id of the message that it answers in \`reply_to\`.

If several triggers of a bot match a message, in one workflow or in several, the one with the highest \`priority\` starts; of
those, one with a \`command\` or a \`pattern\` comes before one without.

The chat is the session of the execution, so an agent with a \`conversation_memory\` remembers the earlier messages of the chat.
The answer is the body of a Respond node, or otherwise the output of the workflow. It is sent to the chat as a reply, if it is
text; Markdown in it is shown as such.`,
  errors: [],
  example: {
    workflow: `name: Greeter
nodes:
  - {id: bot, type: trigger_chat_bot, credential: Shop bot, command: start}
  - {id: greeting, type: template, template: "Hello, {{ trigger.payload.name }}!"}
edges:
  - bot -> greeting
`,
    tests: `tests:
  - name: The greeting is the answer
    text: /start
    payload: {name: Ann, chat_id: "42"}
    expect:
      outputs: {bot: {text: /start, chat_id: "42"}}
      final_output: Hello, Ann!
`,
  },
  inputs: [],
  outputs: [
    { name: 'text', dataType: 'text', description: 'The text of the message, or the caption of its file.' },
    { name: 'chat_id', dataType: 'text', description: 'The chat of the message.' },
    { name: 'user_id', dataType: 'text', description: 'The user who wrote it.' },
    { name: 'files', dataType: 'array', description: 'Its files, as the platform names them.' },
    { name: 'payload', dataType: 'object', description: 'Everything about the message as an object.' },
  ],
  subInputs: [],
  effect: 'pure',
  version: 1,
  config,
  credential: { type: 'chat_bot' },
  // When a message arrives, no names exist yet.
  verbatim: ['command', 'pattern'],
  run({ input }) {
    const { payload = {}, text = '' } = asObject(input, 'trigger');
    const { chat_id: chatId = '', user_id: userId = '', files = [] } = asObject(payload, 'payload');
    return { outputs: { text, chat_id: chatId, user_id: userId, files: isArray(files) ? files : [], payload } };
  },
});
