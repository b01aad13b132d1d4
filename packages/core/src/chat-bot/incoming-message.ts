import { textOf } from '../base/resolved.ts';
import { isArray, isObject, type Json, type JsonObject, own } from '../json.ts';

/** The type of the trigger node for messages to a bot. */
export const botTriggerType = 'trigger_chat_bot';

export const botChatTypes = ['private', 'group', 'supergroup', 'channel'] as const;
type BotChatType = (typeof botChatTypes)[number];

/** How a bot receives messages. */
export const botModes = ['polling', 'webhook'] as const;
type BotMode = (typeof botModes)[number];

/** A message that a bot has received. */
export interface IncomingMessage {
  readonly messageId: number;
  readonly chatId: string;
  readonly chatType: string;
  /** Who wrote it: a person, or the channel or group in whose name it was written. */
  readonly userId: string;
  readonly text: string;
  /** The command that it begins with, without its slash; null if it is none, or one for another bot. */
  readonly command: string | null;
  /** What a run receives. */
  readonly payload: JsonObject;
}

/** The number of an update; null if it is not one. */
export function updateIdOf(update: Json): number | null {
  const id = isObject(update) ? update.update_id : undefined;
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : null;
}

/** The new message of an update; null for any other event. `botName` is the name of the bot, for commands in groups. */
export function incomingMessage(update: Json, botName: string): IncomingMessage | null {
  const message = objectAt(update, 'message') ?? objectAt(update, 'channel_post');
  const chat = objectAt(message, 'chat');
  const chatId = textOf(own(chat ?? {}, 'id'));
  const messageId = own(message ?? {}, 'message_id');
  if (message === null || chat === null || chatId === null || typeof messageId !== 'number') return null;
  const author = objectAt(message, 'from') ?? objectAt(message, 'sender_chat') ?? {};
  const userId = textOf(author.id) ?? '';
  const text = textAt(message, 'text') ?? textAt(message, 'caption') ?? '';
  const chatType = textAt(chat, 'type') ?? '';
  const called = commandIn(text, botName);
  const replied = objectAt(message, 'reply_to_message');
  const payload: JsonObject = {
    text,
    chat_id: chatId,
    chat_type: chatType,
    user_id: userId,
    message_id: messageId,
    name: [author.first_name, author.last_name].filter((part) => typeof part === 'string').join(' '),
    username: textAt(author, 'username') ?? '',
    language: textAt(author, 'language_code') ?? '',
    command: called?.command ?? null,
    arguments: called?.rest ?? '',
    files: filesIn(message),
    reply_to: replied === null ? null : (replied.message_id ?? null),
  };
  return { messageId, chatId, chatType, userId, text, command: called?.command ?? null, payload };
}

function objectAt(value: Json | null, key: string): JsonObject | null {
  const found = isObject(value) ? own(value, key) : undefined;
  return isObject(found ?? null) ? (found as JsonObject) : null;
}

function textAt(object: JsonObject, key: string): string | null {
  const found = own(object, key);
  return typeof found === 'string' ? found : null;
}

/** `/command@bot rest`. In a group, a command may name the bot that it is for. */
function commandIn(text: string, botName: string): { readonly command: string; readonly rest: string } | null {
  const [, command, name, rest = ''] = /^\/(\w{1,64})(?:@(\w{1,64}))?(?:\s+(.*))?$/s.exec(text.trim()) ?? [];
  if (command === undefined || (name !== undefined && name.toLowerCase() !== botName.toLowerCase())) return null;
  return { command: command.toLowerCase(), rest };
}

/** The kinds of files that a message may have. A photo comes in several sizes, the largest one last. */
const fileKinds = ['photo', 'document', 'audio', 'video', 'voice', 'video_note', 'animation', 'sticker'] as const;

function filesIn(message: JsonObject): readonly JsonObject[] {
  return fileKinds.flatMap((kind) => {
    const given = own(message, kind);
    const file = isArray(given ?? null) ? (given as readonly Json[]).at(-1) : given;
    if (!isObject(file ?? null)) return [];
    const {
      file_id: id = null,
      file_name: name = null,
      mime_type: type = null,
      file_size: size = null,
    } = file as JsonObject;
    return [{ kind, file_id: id, name, content_type: type, size }];
  });
}

/** Which messages a trigger starts for, and whether the answer is sent back. */
export interface BotTriggerSettings {
  readonly mode: BotMode;
  readonly command: string | null;
  readonly pattern: string | null;
  readonly chatTypes: readonly string[];
  readonly replies: boolean;
}

/** The settings in the `extra_config` of a trigger. Its schema has rejected other values. */
export function botTriggerSettings(config: JsonObject): BotTriggerSettings {
  const { mode, command, pattern, chat_types: chatTypes, reply } = config;
  const isList = isArray(chatTypes ?? null);
  return {
    mode: mode === 'webhook' ? mode : 'polling',
    command: typeof command === 'string' ? command.replace(/^\//, '').toLowerCase() : null,
    pattern: typeof pattern === 'string' ? pattern : null,
    chatTypes: isList ? (chatTypes as readonly Json[]).map(String) : (['private'] satisfies readonly BotChatType[]),
    replies: reply !== false,
  };
}

/** Whether a trigger starts for a message. */
export function isBotMatch(
  { command, pattern, chatTypes }: BotTriggerSettings,
  message: IncomingMessage,
  matches: (pattern: string, text: string) => boolean,
): boolean {
  if (!chatTypes.includes(message.chatType)) return false;
  if (command !== null && command !== message.command) return false;
  return pattern === null || matches(pattern, message.text);
}

/** Whether `allowed_user_ids` of a bot admits a user: `*` admits all of them, and an empty list nobody. */
export function admits(allowed: string, userId: string): boolean {
  const ids = allowed.split(',').map((id) => id.trim());
  return ids.includes('*') || (userId !== '' && ids.includes(userId));
}

/** Whether a list of allowed users is empty. */
export function admitsNobody(allowed: string): boolean {
  return allowed.split(',').every((id) => id.trim() === '');
}
