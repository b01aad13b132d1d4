import type { WorkflowUsage } from '../api/activity/usage.ts';
import { costText } from './usage-days.ts';

/** How much of a limit is used. */
interface LimitUse {
  readonly name: string;
  readonly used: number;
  readonly allowed: number;
  /** `1,234 of 5,000`. */
  readonly text: string;
}

/** The limits of a workflow's budget, with what is used of each. */
export function limitsOf(use: NonNullable<WorkflowUsage['budget']>): readonly LimitUse[] {
  const all = [
    { name: 'Tokens', used: use.spent_tokens, allowed: use.tokens, textOf: (n: number) => n.toLocaleString('en') },
    { name: 'Cost', used: use.spent_usd, allowed: use.usd, textOf: costText },
  ];
  return all.flatMap(({ name, used, allowed, textOf }) =>
    allowed === null ? [] : [{ name, used, allowed, text: `${textOf(used)} of ${textOf(allowed)}` }],
  );
}
