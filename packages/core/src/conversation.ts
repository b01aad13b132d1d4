import { z } from 'zod';
import { StepError } from './errors.ts';
import type { ModelMessage } from './model.ts';

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
    .describe(
      `How many of the last turns are remembered; a turn is a message and its answer. Default: ${defaultTurns}.`,
    )
    .optional(),
  token_window: z
    .int()
    .min(1)
    .max(mostTokens)
    .describe(
      `How many tokens the remembered turns may have in all, where ${bytesPerToken} bytes count as one. Default: ${defaultTokens}.`,
    )
    .optional(),
  summarize: z.boolean().describe('Whether older turns are kept as a summary. Default: false.').optional(),
});
export type ConversationMemoryConfig = z.infer<typeof conversationMemoryConfig>;

/** A message of a chat and what was answered. */
export interface ConversationTurn {
  readonly text: string;
  readonly answer: string;
}

/** Of which turns there is room: both limits hold. */
export interface ConversationWindow {
  readonly turns: number;
  /** Of UTF-8, texts and answers together. */
  readonly bytes: number;
}

/** What is said of a memory that is to summarise. */
export const noSummaries = 'summaries are not supported yet: set it to false, and older turns are left out';

/** What a memory has room for. @throws StepError `not_supported` */
export function conversationWindow({ turns, token_window, summarize }: ConversationMemoryConfig): ConversationWindow {
  if (summarize === true) throw new StepError('not_supported', `The memory's 'summarize': ${noSummaries}.`);
  return { turns: turns ?? defaultTurns, bytes: (token_window ?? defaultTokens) * bytesPerToken };
}

/** The turns as a model is told them. */
export function conversationMessages(turns: readonly ConversationTurn[]): readonly ModelMessage[] {
  return turns.flatMap(({ text, answer }): readonly ModelMessage[] => [
    { role: 'user', content: text },
    { role: 'assistant', content: answer },
  ]);
}
