import { useQuery } from '@tanstack/react-query';
import type { ExecutionDetail } from '../api/executions.ts';
import { nodeTypesQuery } from '../api/node-types.ts';
import { versionQuery } from '../api/workflows.ts';
import { classes } from '../ui/classes.ts';
import { type Budget, budgetsOf, limitsOf } from './budgets.ts';
import type { Conversation } from './conversation.ts';

interface BudgetBarsProps {
  readonly execution: ExecutionDetail;
  readonly nodeId: string;
  readonly conversation: Conversation;
}

/** How much an agent has used of what it may use, by the version that was executed. */
export function BudgetBars({ execution, nodeId, conversation }: BudgetBarsProps) {
  const { data: version } = useQuery(versionQuery(execution.workflow_slug, execution.workflow_version));
  const { data: types } = useQuery(nodeTypesQuery);
  const node = version?.graph.nodes.find((candidate) => candidate.node_id === nodeId);
  if (node === undefined || types === undefined) return null;
  const schema = types[node.component_type]?.config_schema;
  const budgets = budgetsOf(conversation, limitsOf(node.config.extra_config, schema));
  return (
    <ul
      aria-label={`Budgets of ${nodeId}`}
      className="grid grid-cols-[repeat(auto-fill,minmax(9rem,1fr))] gap-x-4 gap-y-2"
    >
      {budgets.map((budget) => (
        <li key={budget.name}>
          <BudgetBar budget={budget} />
        </li>
      ))}
    </ul>
  );
}

/** From this share on, a person should know that the end is near. */
const nearlyAll = 0.8;

/** How much of one limit is used. */
export function BudgetBar({ budget: { name, used, allowed, text } }: { readonly budget: Budget }) {
  const share = allowed === 0 ? 1 : Math.min(1, used / allowed);
  return (
    <div className="flex flex-col gap-1 text-[12px]">
      <span className="flex flex-wrap justify-between gap-x-2">
        <span className="text-muted">{name}</span>
        <span className="tabular-nums">{text}</span>
      </span>
      <span
        aria-hidden="true"
        className="h-1.5 overflow-hidden rounded-full border border-line bg-sunken forced-colors:border-[CanvasText]"
      >
        <span
          className={classes(
            'block h-full forced-colors:bg-[Highlight]',
            share >= 1 ? 'bg-danger' : share >= nearlyAll ? 'bg-warning' : 'bg-accent',
          )}
          style={{ width: `${share * 100}%` }}
        />
      </span>
    </div>
  );
}
