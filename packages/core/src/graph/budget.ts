import { z } from 'zod';
import type { JsonObject } from '../json.ts';
import { formatInstant, type Instant } from '../time.ts';

/** What the models of a workflow may use in each calendar day or month, in UTC. Null: no limit. */
export interface Budget extends JsonObject {
  /** Input and output tokens together. */
  readonly tokens: number | null;
  readonly usd: number | null;
  readonly period: 'day' | 'month';
}

/** What was used of a budget. */
export interface Spent {
  readonly tokens: number;
  readonly usd: number;
}

export const nothingSpent: Spent = { tokens: 0, usd: 0 };

export const budgetField = z
  .strictObject({
    // Beyond a trillion tokens or a million dollars nobody needs a limit.
    tokens: z.int().min(1).max(1_000_000_000_000).nullable().default(null).describe('Input and output tokens.'),
    usd: z.number().gt(0).max(1_000_000).nullable().default(null).describe('US dollars, by the prices of the models.'),
    period: z.enum(['day', 'month']).default('month').describe('A calendar day or month, in UTC.'),
  })
  .refine(({ tokens, usd }) => tokens !== null || usd !== null, { message: "needs 'tokens', 'usd' or both" })
  .nullable()
  .describe(
    'What its models may use in each day or month. When it is spent, steps that call a model fail with `budget_spent`.',
  );

/** The first day of the period (`2026-01-31`), and the instant at which the next one begins. */
export function periodOf({ period }: Budget, at: Instant): { readonly since: string; readonly until: Instant } {
  const day = new Date(at);
  const [year, month] = [day.getUTCFullYear(), day.getUTCMonth()];
  const [first, next] =
    period === 'month'
      ? [Date.UTC(year, month), Date.UTC(year, month + 1)]
      : [Date.UTC(year, month, day.getUTCDate()), Date.UTC(year, month, day.getUTCDate() + 1)];
  return { since: formatInstant(first).slice(0, '2026-01-31'.length), until: next };
}

/** The limit that would be exceeded, as words such as `1000 tokens`; null if there is none. */
export function exceededBudget({ tokens, usd }: Budget, spent: Spent): string | null {
  if (tokens !== null && spent.tokens > tokens) return `${tokens} tokens`;
  if (usd !== null && spent.usd > usd) return `${usd} US dollars`;
  return null;
}

export function addSpent(left: Spent, right: Spent): Spent {
  return { tokens: left.tokens + right.tokens, usd: left.usd + right.usd };
}
