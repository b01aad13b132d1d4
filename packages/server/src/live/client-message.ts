import { isDeeperThan, type Json } from '@millrace/core';
import { z } from 'zod';

/** Much longer than any slug or execution id. */
const maxChannelLength = 200;
/** Twice the length of the longest API key. */
const maxTokenLength = 400;
/** Much longer than any epoch of this service. */
const maxEpochLength = 100;
/** No valid message nests; the rest allows for fields that clients add. */
const maxDepth = 8;

const channel = z.string().min(1).max(maxChannelLength);

const after = z.int().min(0).optional();
const epoch = z.string().max(maxEpochLength).optional();

const clientMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('auth'), token: z.string().max(maxTokenLength) }),
  z.object({ type: z.literal('subscribe'), channel, after, epoch }),
  z.object({ type: z.literal('unsubscribe'), channel }),
  z.object({ type: z.literal('pong') }),
]);

/** A message from a client. */
export type ClientMessage = z.infer<typeof clientMessage>;

/** Parses a text frame. Returns a text with the reason if it is invalid. */
export function readClientMessage(text: string): ClientMessage | string {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return 'Messages must be JSON.';
  }
  if (isDeeperThan(value, maxDepth)) return `Messages may be nested at most ${maxDepth} levels deep.`;
  const parsed = clientMessage.safeParse(value);
  return parsed.success ? parsed.data : mistakeOf(value);
}

function mistakeOf(value: Json): string {
  const { type, ...fields } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (type === 'auth') return `A message of type 'auth' needs a token: text of up to ${maxTokenLength} characters.`;
  if (type === 'subscribe' && !after.safeParse(fields.after).success) {
    return "The 'after' of a subscription must be a whole number: the seq of the last received event.";
  }
  if (type === 'subscribe' && !epoch.safeParse(fields.epoch).success) {
    return "The 'epoch' of a subscription must be the text in the response to the previous subscription.";
  }
  if (type === 'subscribe' || type === 'unsubscribe') {
    return `A message of type '${type}' needs a channel: text of 1 to ${maxChannelLength} characters.`;
  }
  return "Unknown message: type must be 'auth', 'subscribe', 'unsubscribe' or 'pong'.";
}
