import { addUsage, formatInstant, type Instant, type ModelUsage, noUsage, type Workflow } from '@millrace/core';
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

interface Usage extends WorkflowUsage, Pick<UsagePeriod, 'since' | 'until'> {
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
  return {
    async of({ id: workflowId }, { since: first, until: last }) {
      const until = last ?? laterOf(dayOf(clock.now()), first);
      const since = first ?? dayOf(Date.parse(until) - usualDaysBefore * dayMs);
      const { days, callers } = await store.usage.ofWorkflow({ workflowId, since, until });
      return { since, until, days, callers, total: days.reduce<ModelUsage>(addUsage, noUsage) };
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
