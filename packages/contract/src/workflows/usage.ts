import {
  type Budget,
  formatInstant,
  type Instant,
  type ModelCaller,
  type ModelUsage,
  type Spent,
} from '@millrace/core';
import { z } from 'zod';
import { named } from '../base/named.ts';
import { timestamp } from '../base/timestamp.ts';

const day = z.iso.date().describe('A day in UTC, `YYYY-MM-DD`.');

/** The period of a request for usage. */
export const usageQuery = z
  .object({
    since: day.optional().describe('The first day, in UTC. Default: 29 days before the last one.'),
    until: day.optional().describe('The last day, in UTC. Default: today.'),
  })
  .refine(({ since, until }) => since === undefined || until === undefined || since <= until, {
    message: 'must not be after `until`',
    path: ['since'],
  });

const figures = z.object({
  llm_calls: z.int().describe('Calls of models.'),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cost_usd: z.number().describe('Calculated with the prices of the model nodes; 0 without prices.'),
});

const usageOfDay = named('UsageOfDay', figures.extend({ day }), {
  description: 'What the models of a workflow used on one day.',
});

const usageOfNode = named(
  'UsageOfNode',
  figures.extend({
    node_id: z
      .string()
      .nullable()
      .describe('The node that called the model, such as the agent. Null for what is not counted by node.'),
    model: z.string().nullable().describe('The name of the model; null if it is not known.'),
  }),
  { description: 'What one node used of one model in the period.' },
);

const oneDay = { llm_calls: 3, input_tokens: 1200, output_tokens: 80, cost_usd: 0.0014 };

const budgetUse = named(
  'BudgetUse',
  z.object({
    tokens: z.int().nullable().describe('The limit of tokens; null for none.'),
    usd: z.number().nullable().describe('The limit of costs; null for none.'),
    period: z.enum(['day', 'month']),
    spent_tokens: z.int().describe('Tokens of the steps that have ended in the current period.'),
    spent_usd: z.number(),
    next_period_at: timestamp,
  }),
  { description: 'The budget of a workflow, and what was used of it in the current period.' },
);

/** What the models of a workflow used in a period. */
export const workflowUsage = named(
  'WorkflowUsage',
  z.object({
    since: day,
    until: day,
    total: figures,
    budget: budgetUse.nullable().describe('Null if the workflow has no budget.'),
    days: z.array(usageOfDay).describe('Oldest first, without the days on which no model was called.'),
    nodes: z.array(usageOfNode).describe('The most expensive first.'),
  }),
  {
    description: 'What the models of a workflow used in a period.',
    example: {
      since: '2026-01-02',
      until: '2026-01-31',
      total: oneDay,
      budget: {
        ...{ tokens: null, usd: 20, period: 'month', spent_tokens: 1280, spent_usd: 0.0014 },
        next_period_at: '2026-02-01T00:00:00.000000',
      },
      days: [{ ...oneDay, day: '2026-01-31' }],
      nodes: [{ ...oneDay, node_id: 'answer', model: 'some-model' }],
    },
  },
);

interface Usage {
  readonly since: string;
  readonly until: string;
  readonly total: ModelUsage;
  readonly budget: { readonly budget: Budget; readonly spent: Spent; readonly nextAt: Instant } | null;
  readonly days: readonly (ModelUsage & { readonly day: string })[];
  readonly callers: readonly (ModelUsage & { readonly by: ModelCaller | null })[];
}

/** The usage of a workflow as the API shows it. */
export function presentUsage({ since, until, total, budget, days, callers }: Usage): z.infer<typeof workflowUsage> {
  return {
    since,
    until,
    total: figuresOf(total),
    budget: budget === null ? null : presentBudgetUse(budget),
    days: days.map((usage) => ({ day: usage.day, ...figuresOf(usage) })),
    nodes: callers.map(({ by, ...usage }) => ({
      node_id: by?.nodeId ?? null,
      model: by === null || by.model === '' ? null : by.model,
      ...figuresOf(usage),
    })),
  };
}

function presentBudgetUse({ budget, spent, nextAt }: NonNullable<Usage['budget']>): z.infer<typeof budgetUse> {
  const { tokens, usd, period } = budget;
  const used = { spent_tokens: spent.tokens, spent_usd: spent.usd };
  return { tokens, usd, period, ...used, next_period_at: formatInstant(nextAt) };
}

function figuresOf({ calls, inputTokens, outputTokens, costUsd }: ModelUsage): z.infer<typeof figures> {
  return { llm_calls: calls, input_tokens: inputTokens, output_tokens: outputTokens, cost_usd: costUsd };
}
