import type { JsonObject } from '../json.ts';
import { markdownToHtml } from './markdown-html.ts';
import { htmlParts, messageParts } from './message-parts.ts';

/** How the text of a message is written. */
export const messageFormats = ['plain', 'markdown', 'html'] as const;
type MessageFormat = (typeof messageFormats)[number];

/** Characters of a text that becomes several messages: ten of them, as the platform accepts about one in a second. */
export const maxBotText = 40_960;

/** A text to send to a chat. */
interface BotText {
  readonly chatId: string;
  readonly text: string;
  readonly format: MessageFormat;
  /** The message in the chat that it answers. */
  readonly replyTo: number | null;
}

/** The parameters of `sendMessage` for each part of a text; none if there is nothing to see in it. */
export function botMessages({ chatId, text, format, replyTo }: BotText): readonly JsonObject[] {
  const parts = partsOf(text, format);
  return parts.map((part, index) => ({
    chat_id: chatId,
    text: part,
    ...(format !== 'plain' && { parse_mode: 'HTML' }),
    // The message may have been deleted in the meantime.
    ...(replyTo !== null &&
      index === 0 && { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } }),
  }));
}

function partsOf(text: string, format: MessageFormat): readonly string[] {
  switch (format) {
    case 'plain':
      return messageParts(text);
    case 'markdown':
      return htmlParts(markdownToHtml(text));
    case 'html':
      return htmlParts(text);
  }
}
