import type { UsagePeriod, WorkflowUsage } from '../api/activity/usage.ts';
import type { Measure } from './usage-search.ts';

export type UsageOfDay = WorkflowUsage['days'][number];

const dayMs = 86_400_000;

/** The period of so many days that ends with the day of an instant, in UTC. */
export function lastDays(count: number, now: number): UsagePeriod {
  return { since: dayOf(now - (count - 1) * dayMs), until: dayOf(now) };
}

function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, '2026-01-31'.length);
}

/** Every day of the period, also those on which no model was called. */
export function everyDay({
  since,
  until,
  days,
}: Pick<WorkflowUsage, 'since' | 'until' | 'days'>): readonly UsageOfDay[] {
  const known = new Map(days.map((usage) => [usage.day, usage]));
  const count = Math.round((Date.parse(until) - Date.parse(since)) / dayMs) + 1;
  return Array.from({ length: count }, (_, index) => {
    const day = dayOf(Date.parse(since) + index * dayMs);
    return known.get(day) ?? { day, llm_calls: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0 };
  });
}

type Figures = Pick<UsageOfDay, 'llm_calls' | 'input_tokens' | 'output_tokens' | 'cost_usd'>;

/** The figure that a bar shows. */
export function measured(usage: Figures, measure: Measure): number {
  if (measure === 'cost') return usage.cost_usd;
  return measure === 'calls' ? usage.llm_calls : usage.input_tokens + usage.output_tokens;
}

/** `$12.40`, and with more digits for small amounts: `$0.0014`. */
export function costText(usd: number): string {
  if (usd === 0) return '$0';
  if (usd < 0.0001) return '< $0.0001';
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}

/** A figure as text: `1,280 tokens`. */
export function measureText(usage: Figures, measure: Measure): string {
  if (measure === 'cost') return costText(usage.cost_usd);
  const figure = measured(usage, measure);
  const unit = measure === 'calls' ? 'call' : 'token';
  return `${figure.toLocaleString('en')} ${unit}${figure === 1 ? '' : 's'}`;
}

/** `31 Jan`, for a day in UTC. */
export function dayText(day: string): string {
  return new Date(day).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
}
