import { z } from 'zod';

/** Far more than a slug or an execution id needs. */
const maxChannelLength = 200;

const channel = z.string().min(1).max(maxChannelLength);

const clientMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('subscribe'), channel }),
  z.object({ type: z.literal('unsubscribe'), channel }),
  z.object({ type: z.literal('pong') }),
]);

/** What a client may say. */
export type ClientMessage = z.infer<typeof clientMessage>;

/** Reads a text frame; a string says what is wrong with it. */
export function readClientMessage(text: string): ClientMessage | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'Messages must be JSON.';
  }
  const parsed = clientMessage.safeParse(value);
  if (parsed.success) return parsed.data;
  const type: unknown = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  const isKnown = type === 'subscribe' || type === 'unsubscribe';
  return isKnown
    ? `A message of type '${type}' needs a channel: a text of 1 to ${maxChannelLength} characters.`
    : "Unknown message: type must be 'subscribe', 'unsubscribe' or 'pong'.";
}
