import { useMemo } from 'react';
import type { ExecutionDetail } from '../api/executions.ts';
import { BudgetBars } from '../conversation/budget-bars.tsx';
import { agentsIn, conversationsOf } from '../conversation/conversation.ts';

/** Agents of a run that are listed: a loop may start hundreds. */
const maxShown = 10;

/** What the agents of a run have used of their budgets. */
export function AgentBudgets({ execution }: { readonly execution: ExecutionDetail }) {
  const { logs } = execution;
  const agents = useMemo(
    () => agentsIn(logs).map((place) => ({ place, last: conversationsOf(place, logs).at(-1) })),
    [logs],
  );
  if (agents.length === 0) return null;
  return (
    <section aria-label="Budgets of agents" className="flex flex-col gap-3 border-line border-b px-4 pb-4">
      {agents.slice(0, maxShown).map(({ place: { nodeId, frame }, last }) => (
        <div key={`${frame} ${nodeId}`} className="flex flex-col gap-1.5">
          <h3 className="font-medium text-[13px]">{frame === '' ? nodeId : `${nodeId} in ${frame}`}</h3>
          {last !== undefined && <BudgetBars execution={execution} nodeId={nodeId} conversation={last} />}
        </div>
      ))}
      {agents.length > maxShown && (
        <p className="text-[12px] text-muted">
          The budgets of {agents.length - maxShown} more agents are in their steps.
        </p>
      )}
    </section>
  );
}
