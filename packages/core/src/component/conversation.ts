import { z } from 'zod';
import type { ModelMessage } from './model.ts';
import { ui } from './ui-hint.ts';

/** The most turns of a memory: as many as the history of a chat stores. */
const mostTurns = 1000;
/** The most tokens of a memory: the size of the largest context windows. */
const mostTokens = 1_000_000;

/** The default number of turns: as far back as people usually refer. */
const defaultTurns = 10;
/** The default number of tokens: half of the 8,192 that the smallest models in use accept. */
const defaultTokens = 4000;

/**
 * Bytes of UTF-8 that count as one token. Each model splits text differently: English has about four bytes per token,
 * other languages fewer, so a window is an estimate.
 */
const bytesPerToken = 4;

/** The part of a conversation that is remembered. */
export const conversationMemoryConfig = z.strictObject({
  turns: z
    .int()
    .min(1)
    .max(mostTurns)
    .describe('The number of last turns to include; a turn is a message and its answer.')
    .meta({ default: defaultTurns, examples: [20] })
    .optional(),
  token_window: z
    .int()
    .min(1)
    .max(mostTokens)
    .describe(`The maximum number of tokens of all these turns; ${bytesPerToken} bytes count as one token.`)
    .meta({ ...ui({ unit: 'tokens', advanced: true }), default: defaultTokens, examples: [8000] })
    .optional(),
  summarize: z
    .boolean()
    .describe('Whether the model of the node summarizes older turns.')
    .meta({ default: false, examples: [true] })
    .optional(),
});
export type ConversationMemoryConfig = z.infer<typeof conversationMemoryConfig>;

/** A message of a chat and its answer. */
export interface ConversationTurn {
  /** The run that answered. */
  readonly executionId: string;
  readonly text: string;
  readonly answer: string;
  /** Bytes of UTF-8, of both together. */
  readonly size: number;
}

/** The stored part of a conversation. */
export interface Conversation {
  /** The summary of the conversation before the turns, if a memory has created one. */
  readonly summary: string | null;
  /** Oldest first. */
  readonly turns: readonly ConversationTurn[];
}

/** The size of the window: both limits apply. */
export interface ConversationWindow {
  readonly turns: number;
  readonly bytes: number;
}

/** A summary that a memory stores for a conversation. */
export interface ConversationSummary {
  /** The node of the memory. */
  readonly memory: string;
  /** The run that answered the last turn in it. */
  readonly until: string;
  readonly text: string;
}

/** The conversation before the message that a run answers. */
export interface ConversationPort {
  /**
   * The last turns before the message that fit, each whole; if a memory is named, its newest summary and the turns
   * after it. The result is the same for each attempt, unless an earlier message was answered or deleted in between.
   * Empty in a run that no chat message started.
   */
  before(asked: ConversationWindow & { readonly memory: string | null }): Promise<Conversation>;
  /** Stores a summary for this message and later ones. An existing summary up to the same turn is not replaced. */
  keepSummary(summary: ConversationSummary): Promise<void>;
}

/** The conversation before the message, as a node receives it. */
export interface Recollection {
  readonly messages: readonly ModelMessage[];
  /** The number of complete turns among them. */
  readonly turns: number;
  readonly hasSummary: boolean;
}

/** The capacity of a memory. */
export function conversationWindow({ turns, token_window }: ConversationMemoryConfig): ConversationWindow {
  return { turns: turns ?? defaultTurns, bytes: (token_window ?? defaultTokens) * bytesPerToken };
}

/** The last of the turns that fit. */
export function lastTurns(turns: readonly ConversationTurn[], window: ConversationWindow): readonly ConversationTurn[] {
  let first = turns.length;
  let left = window.bytes;
  for (const { size } of turns.toReversed()) {
    left -= size;
    if (left < 0 || turns.length - first === window.turns) break;
    first -= 1;
  }
  return turns.slice(first);
}

/**
 * Turns of a memory with summaries: all of them if they fit. Otherwise half of the window is retained, or the last turn
 * alone, so that a summary is created once per half window and not for every message; `older` is for the summary.
 */
export function dividedTurns(
  turns: readonly ConversationTurn[],
  window: ConversationWindow,
): { readonly older: readonly ConversationTurn[]; readonly kept: readonly ConversationTurn[] } {
  if (lastTurns(turns, window).length === turns.length) return { older: [], kept: turns };
  const half = lastTurns(turns, { turns: Math.floor(window.turns / 2), bytes: window.bytes / 2 });
  const kept = half.length > 0 ? half : turns.slice(-1);
  return { older: lastTurns(turns.slice(0, -kept.length), window), kept };
}
