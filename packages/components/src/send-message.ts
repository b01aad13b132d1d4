import {
  asInteger,
  asOneOf,
  asText,
  botCall,
  botMessages,
  botResult,
  defineComponent,
  expressible,
  isObject,
  type Json,
  type JsonObject,
  maxBotMessage,
  maxBotText,
  messageFormats,
  type Step,
  type StepContext,
  StepError,
  ui,
} from '@millrace/core';
import { z } from 'zod';

const config = z.strictObject({
  chat_id: z
    .union([z.string().min(1), z.int()])
    .describe('The chat: the number of a chat or of a person, or `@name` of a public channel.')
    .meta({ examples: ['{{ trigger.payload.chat_id }}'] })
    .optional(),
  text: z
    .string()
    .min(1)
    .describe(
      `The text. One of more than ${maxBotMessage} characters becomes several messages; the maximum is ${maxBotText}. Default: the input.`,
    )
    .meta({ ...ui({ widget: 'markdown' }), examples: ['Order {{ trigger.payload.order }} has been sent.'] })
    .optional(),
  format: expressible(z.enum(messageFormats))
    .describe(
      'How the text is written: `plain` as it is; `markdown` as models write it; `html` with the tags that the platform knows, ' +
        'such as `<b>`, `<i>`, `<code>` and `<a href>`.',
    )
    .meta({ default: 'plain', examples: ['markdown'] })
    .optional(),
  reply_to: expressible(z.int().positive())
    .describe('The id of the message in the chat that this one answers. Default: none.')
    .meta({ ...ui({ advanced: true }), examples: ['{{ trigger.payload.message_id }}'] })
    .optional(),
});

type Config = z.infer<typeof config>;

export const sendMessage = defineComponent({
  type: 'send_message',
  label: 'Send Message',
  category: 'Tools',
  icon: 'send',
  color: '#10b981',
  description: `Sends a message to a chat through a bot. The bot is a \`chat_bot\` credential, selected in \`credential_id\`; its token is
sent only to the messaging platform. [Chat bots](../chat-bots.md) describes how to create one.

\`\`\`json
{
  "chat_id": "@shop_news",
  "text": "**New:** orders arrive one day earlier.",
  "format": "markdown"
}
\`\`\`

A bot may write only to people who have written to it first, and to groups and channels that it is a member of.

A text of more than ${maxBotMessage} characters is sent as several messages, divided at the ends of lines where possible. \`result\` has the
\`message_id\` of the first message, the \`message_ids\` of all, and the \`chat_id\`.

The platform does not recognise a repeated message. Therefore a message is not sent again if it is unknown whether it was sent:
after a crash, a timeout or a lost connection the step fails, unless its \`on_unknown\` or \`retry\` says otherwise. If the platform
asks the bot to wait (status 429), nothing was sent, and the step is repeated after that time.

As a tool of an agent, the model may fill \`text\`. It cannot choose the chat, unless \`tool.parameters\` says so.`,
  errors: [
    'chat_bot_api',
    'config',
    'credential_missing',
    'credential_unfit',
    'http_blocked',
    'http_busy',
    'http_connection',
    'http_too_large',
    'secret_unreadable',
  ],
  example: {
    workflow: `name: Shipping note
trigger: webhook
steps:
  - id: message
    type: send_message
    credential: Shop bot
    chat_id: "{{ trigger.payload.chat }}"
    text: "Order **{{ trigger.payload.order }}** has been sent."
    format: markdown
`,
    tests: `tests:
  - name: The customer gets a message
    payload: {chat: 42, order: A1}
    http:
      - request:
          method: POST
          url: https://api.telegram.org/bot/sendMessage
          body: {chat_id: "42", text: "Order <b>A1</b> has been sent.", parse_mode: HTML}
        response: {body: {ok: true, result: {message_id: 7}}}
    expect:
      outputs: {message: {result: {message_id: 7, message_ids: [7], chat_id: "42"}}}
`,
  },
  inputs: [
    {
      name: 'text',
      dataType: 'text',
      required: true,
      suppliedBy: ['text'],
      failsEmpty: true,
      description: 'The text, unless the config has one.',
    },
  ],
  outputs: [
    { name: 'result', dataType: 'object', description: 'The ids of the messages, and of their chat.' },
    { name: 'tool', dataType: 'tool', description: 'Sending messages as a tool for agents.' },
  ],
  subInputs: [],
  effect: 'once',
  // Only a message that the platform rejected for now may be sent again.
  isRepeatable: () => false,
  tool: {
    description: 'Sends a message to the chat.',
    fills: ['text'],
    requires: ['text'],
  },
  version: 1,
  config,
  needs: ['chat_id'],
  credential: { type: 'chat_bot' },
  run: send,
});

async function send({ input, config, ctx }: Step<Config>) {
  const chatId = asText(config.chat_id, 'chat_id').trim();
  const text = asText(config.text === undefined ? input : config.text, 'text');
  const format = config.format === undefined ? 'plain' : asOneOf(config.format, 'format', messageFormats);
  const replyTo = config.reply_to === undefined ? null : asInteger(config.reply_to, 'reply_to', messageIds);
  if (text.length > maxBotText) {
    const message = `'text' has ${text.length} characters, and at most ${maxBotText} can be sent: shorten it.`;
    throw new StepError('config', message);
  }
  const messages = botMessages({ chatId, text, format, replyTo });
  if (messages.length === 0) throw new StepError('config', "'text' is empty: there is nothing to send.");
  const ids: Json[] = [];
  for (const message of messages) ids.push(await sendPart(ctx, message, { sent: ids, count: messages.length }));
  const [first = null] = ids;
  return { outputs: { result: { message_id: first, message_ids: ids, chat_id: chatId } } };
}

/** Ids on the platform have at most 32 bits. */
const messageIds = { least: 1, most: 2_147_483_647 };

/** Sends one part; returns its id. */
async function sendPart(
  ctx: StepContext,
  message: JsonObject,
  { sent, count }: { readonly sent: readonly Json[]; readonly count: number },
): Promise<Json> {
  try {
    const response = await ctx.http(botCall('sendMessage', message));
    const result = await ctx.inSlices(botResult(response, { now: ctx.now(), meter: ctx.meter }));
    return isObject(result) ? (result.message_id ?? null) : null;
  } catch (error) {
    if (!(error instanceof StepError) || sent.length === 0) throw error;
    // Another attempt would send the first parts again.
    const message = `${error.message} Of the ${count} parts of the text, ${sent.length} had been sent before.`;
    throw new StepError(error.code, message, { metadata: { ...error.metadata, message_ids: sent } });
  }
}
