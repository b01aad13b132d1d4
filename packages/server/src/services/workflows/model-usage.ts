import {
  addUsage,
  type Budget,
  formatInstant,
  type Instant,
  type ModelUsage,
  noUsage,
  periodOf,
  type Spent,
  type Workflow,
} from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import type { Store } from '../../store/store.ts';
import type { UsagePeriod, WorkflowUsage } from '../../store/usage.ts';

/** What the models of workflows used. The caller's right to read the workflow was checked before. */
export interface ModelUsages {
  /** Of the days of a period, in UTC; both ends are optional and belong to it. */
  of(
    workflow: Workflow,
    period: { readonly since?: string | undefined; readonly until?: string | undefined },
  ): Promise<Usage>;
}

/** A budget, with what was used of it in the current period. */
interface BudgetUse {
  readonly budget: Budget;
  readonly spent: Spent;
  /** When the next period begins. */
  readonly nextAt: Instant;
}

interface Usage extends WorkflowUsage, Pick<UsagePeriod, 'since' | 'until'> {
  /** Null if the workflow has no budget. */
  readonly budget: BudgetUse | null;
  readonly total: ModelUsage;
}

interface UsagesPorts {
  readonly store: Pick<Store, 'usage'>;
  readonly clock: Pick<Clock, 'now'>;
}

const dayMs = 86_400_000;
/** The last day and 29 before it. */
const usualDaysBefore = 29;

export function createModelUsages({ store, clock }: UsagesPorts): ModelUsages {
  async function useOf(workflowId: number, budget: Budget | null): Promise<BudgetUse | null> {
    if (budget === null) return null;
    const { since, until: nextAt } = periodOf(budget, clock.now());
    return { budget, spent: await store.usage.spentSince({ workflowId, since }), nextAt };
  }

  return {
    async of({ id: workflowId, budget }, { since: first, until: last }) {
      const until = last ?? laterOf(dayOf(clock.now()), first);
      const since = first ?? dayOf(Date.parse(until) - usualDaysBefore * dayMs);
      const { days, callers } = await store.usage.ofWorkflow({ workflowId, since, until });
      return {
        since,
        until,
        days,
        callers,
        budget: await useOf(workflowId, budget),
        total: days.reduce<ModelUsage>(addUsage, noUsage),
      };
    },
  };
}

/** A period that begins after today has one day. */
function laterOf(today: string, first: string | undefined): string {
  return first !== undefined && first > today ? first : today;
}

function dayOf(at: Instant): string {
  return formatInstant(at).slice(0, '2026-01-31'.length);
}
