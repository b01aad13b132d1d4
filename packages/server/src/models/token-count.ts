import type { ModelAnswer } from '@millrace/core';
import { z } from 'zod';

/** A hundred times what today's longest prompts have. Sums of such counts stay within the integers of the database. */
const maxTokenCount = 1_000_000_000;

/** A token count from a provider. An invalid count adds nothing: a wrong bill is better than a lost answer. */
export const tokenCount = z.int().min(0).max(maxTokenCount).catch(0);

/** What a provider counts for an answer. */
export type TokensOfAnswer = Pick<ModelAnswer, 'inputTokens' | 'outputTokens' | 'cachedInputTokens'>;

/** The tokens that a provider has read from its cache, if there are any. */
export function cachedTokens(count: number | undefined): Pick<ModelAnswer, 'cachedInputTokens'> {
  return count === undefined || count === 0 ? {} : { cachedInputTokens: count };
}
