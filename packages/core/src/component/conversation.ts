import { z } from 'zod';

/** Turns that a memory may have at most: as many as the history of a chat keeps. */
const mostTurns = 1000;
/** Tokens of a memory: as large as the windows of models get. */
const mostTokens = 1_000_000;

/** Turns where the config says nothing: what people still refer to. */
const defaultTurns = 10;
/** Tokens where the config says nothing: half of the 8,192 that the smallest models in use can read. */
const defaultTokens = 4000;

/**
 * Bytes of UTF-8 that are counted as one token. Each model cuts text in its own way: English has some four bytes in a
 * token, other languages fewer, so a window is an estimate.
 */
const bytesPerToken = 4;

/** How much of a conversation is remembered. */
export const conversationMemoryConfig = z.strictObject({
  turns: z
    .int()
    .min(1)
    .max(mostTurns)
    .describe(`How many of the last turns are remembered; a turn is a message and its answer.`)
    .meta({ default: defaultTurns, examples: [20] })
    .optional(),
  token_window: z
    .int()
    .min(1)
    .max(mostTokens)
    .describe(`How many tokens the remembered turns may have in all, where ${bytesPerToken} bytes count as one.`)
    .meta({ default: defaultTokens, examples: [8000] })
    .optional(),
  summarize: z
    .boolean()
    .describe('Whether the model of the node keeps older turns as a summary.')
    .meta({ default: false, examples: [true] })
    .optional(),
});
export type ConversationMemoryConfig = z.infer<typeof conversationMemoryConfig>;

/** A message of a chat and what was answered. */
export interface ConversationTurn {
  /** The run that answered. */
  readonly executionId: string;
  readonly text: string;
  readonly answer: string;
  /** Bytes of UTF-8, of both together. */
  readonly size: number;
}

/** What is known of a conversation. */
export interface Conversation {
  /** Of what was said before the turns, if a memory has made one. */
  readonly summary: string | null;
  /** Oldest first. */
  readonly turns: readonly ConversationTurn[];
}

/** Of which turns there is room: both limits hold. */
export interface ConversationWindow {
  readonly turns: number;
  readonly bytes: number;
}

/** What a memory keeps of a conversation. */
export interface ConversationSummary {
  /** The node whose memory it is. */
  readonly memory: string;
  /** The run that answered the last turn in it. */
  readonly until: string;
  readonly text: string;
}

/** The conversation before the message that a run answers. */
export interface ConversationPort {
  /**
   * The last turns before the message, as many as there is room for, each whole; where a memory is named, its newest summary
   * and the turns since that. The same at each attempt, unless an earlier message has its answer only now, or is
   * forgotten. Nothing in a run that no message of a chat started.
   */
  before(asked: ConversationWindow & { readonly memory: string | null }): Promise<Conversation>;
  /** Keeps a summary for this message and those after it. One that was kept up to the same turn stays as it is. */
  keepSummary(summary: ConversationSummary): Promise<void>;
}

/** What a memory has room for. */
export function conversationWindow({ turns, token_window }: ConversationMemoryConfig): ConversationWindow {
  return { turns: turns ?? defaultTurns, bytes: (token_window ?? defaultTokens) * bytesPerToken };
}

/** The last of the turns, as far as there is room. */
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
 * Turns of a memory that summarises: all where there is room for them. Otherwise half of the window is kept, or the last
 * turn alone, so that a summary is made once in half a window and not for every message; `older` is for the summary.
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
