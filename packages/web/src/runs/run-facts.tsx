import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ExecutionDetail } from '../api/executions.ts';
import { RelativeTime } from '../ui/relative-time.tsx';
import { ExecutionStatusText } from '../ui/status.tsx';
import { durationText, instantOf } from '../ui/time.ts';
import { RecordingFact } from './recording-fact.tsx';

const linkClasses = 'text-accent hover:underline';

/** The facts of an execution on one line: its status, its workflow, its times, its costs, and where it comes from. */
export function RunFacts({ execution }: { readonly execution: ExecutionDetail }) {
  const { workflow_slug: slug, total_tokens: tokens, total_cost_usd: cost, completed_at: ended } = execution;
  return (
    <dl className="flex flex-wrap gap-x-7 gap-y-1.5 text-[13px]">
      <Fact name="Status">
        <ExecutionStatusText status={execution.status} />
      </Fact>
      <Fact name="Workflow">
        <Link to="/w/$slug" params={{ slug }} className={linkClasses}>
          {slug}
        </Link>{' '}
        <span className="text-muted">v{execution.workflow_version}</span>
      </Fact>
      <Fact name="Trigger">{execution.trigger_node_id}</Fact>
      <Fact name="Started">
        <RelativeTime at={execution.accepted_at} />
      </Fact>
      {ended !== null && (
        <Fact name="Duration">{durationText(instantOf(ended) - instantOf(execution.accepted_at))}</Fact>
      )}
      {tokens > 0 && (
        <Fact name="Tokens">
          <Link to="/w/$slug/usage" params={{ slug }} title="Usage of this workflow" className={linkClasses}>
            {tokens.toLocaleString('en')}
          </Link>
        </Fact>
      )}
      {cost > 0 && <Fact name="Cost">${cost.toFixed(4)}</Fact>}
      {execution.recording !== null && (
        <Fact name={execution.recording === 'recorded' ? 'Recorded' : 'Ran with recorded answers'}>
          <RecordingFact execution={execution} />
        </Fact>
      )}
      {execution.replay_of !== null && (
        <Fact name="Replay of">
          <Link to="/runs/$id" params={{ id: execution.replay_of }} className={linkClasses}>
            {execution.replay_of.slice(-8)}
          </Link>
        </Fact>
      )}
      {execution.parent_execution_id !== null && (
        <Fact name="Started by">
          <Link to="/runs/$id" params={{ id: execution.parent_execution_id }} className={linkClasses}>
            {execution.parent_execution_id.slice(-8)}
          </Link>
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-[11px] text-muted leading-4">{name}</dt>
      <dd className="truncate tabular-nums">{children}</dd>
    </div>
  );
}
