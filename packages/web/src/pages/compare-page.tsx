import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import {
  type Execution,
  type ExecutionDetail,
  type ExecutionLog,
  executionLogQuery,
  executionQuery,
  executionsQuery,
} from '../api/executions.ts';
import { lastAttempt, lastSuccessQuery, type StepPlace } from '../api/step-history.ts';
import { StepError } from '../runs/step-error.tsx';
import { isShortened } from '../runs/step-values.ts';
import { inputClasses } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { SkeletonRows } from '../ui/skeleton-rows.tsx';
import { executionStatusNames, StepStatusText } from '../ui/status.tsx';
import { durationText, instantOf } from '../ui/time.ts';
import { DiffView } from '../values/diff-view.tsx';

/** One step in two executions: what changed in its time, its error, its input and its output. */
export function ComparePage() {
  const { a, b, step: nodeId, frame = '' } = useSearch({ from: '/app/runs/compare' });
  const step = { nodeId, frame };
  const second = useQuery({ ...executionQuery(b), enabled: b !== '' });
  const previous = useQuery({
    ...lastSuccessQuery(second.data, step),
    enabled: second.data !== undefined && a === undefined,
  });
  const firstId = a ?? previous.data?.execution_id;
  const first = useQuery({ ...executionQuery(firstId ?? ''), enabled: firstId !== undefined });
  const error = second.error ?? previous.error ?? first.error;
  const hasNone = a === undefined && previous.data === null;
  return (
    <>
      <PageHeader title={`Compare ${nodeId}`} />
      <div className="flex flex-col gap-4 p-4 md:p-6">
        {error !== null && <Notice kind="error">{error.message}</Notice>}
        {b === '' && <Notice kind="warning">The address names no run. Open a run and choose Compare.</Notice>}
        {second.data !== undefined && <RunChoice execution={second.data} chosen={firstId} />}
        {hasNone && (
          <Notice kind="info">The step did not succeed in the runs before this one. Choose another run above.</Notice>
        )}
        {second.data !== undefined && first.data !== undefined && (
          <StepComparison first={first.data} second={second.data} step={step} />
        )}
        {second.isLoading && <SkeletonRows rows={3} />}
      </div>
    </>
  );
}

/** The runs of the workflow to compare with. */
const choices = 50;

function RunChoice({
  execution,
  chosen,
}: {
  readonly execution: ExecutionDetail;
  readonly chosen: string | undefined;
}) {
  const navigate = useNavigate({ from: '/runs/compare' });
  const search = useSearch({ from: '/app/runs/compare' });
  const { data } = useQuery(executionsQuery({ workflow_slug: execution.workflow_slug, limit: choices, offset: 0 }));
  const others = (data?.items ?? []).filter(({ execution_id: id }) => id !== execution.execution_id);
  const isListed = chosen === undefined || others.some(({ execution_id: id }) => id === chosen);
  return (
    <label className="flex max-w-md flex-col gap-1">
      <span className="font-medium text-[13px]">Compare with</span>
      <select
        className={inputClasses}
        value={chosen ?? ''}
        onChange={({ target }) => void navigate({ search: { ...search, a: target.value }, replace: true })}
      >
        {chosen === undefined && <option value="">Choose a run</option>}
        {!isListed && <option value={chosen}>{chosen.slice(-8)}</option>}
        {others.map((run) => (
          <option key={run.execution_id} value={run.execution_id}>
            {optionText(run)}
          </option>
        ))}
      </select>
    </label>
  );
}

const statusNames = new Map(executionStatusNames);

function optionText({ execution_id: id, status, accepted_at: at, workflow_version: version }: Execution): string {
  return `${new Date(instantOf(at)).toLocaleString()} · ${statusNames.get(status)} · version ${version} · ${id.slice(-8)}`;
}

interface StepComparisonProps {
  readonly first: ExecutionDetail;
  readonly second: ExecutionDetail;
  readonly step: StepPlace;
}

function StepComparison({ first, second, step }: StepComparisonProps) {
  const logs = [lastAttempt(first, step), lastAttempt(second, step)] as const;
  const before = useWholeLog(first, logs[0]);
  const after = useWholeLog(second, logs[1]);
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <RunCard title="Before" execution={first} log={logs[0]} />
        <RunCard title="After" execution={second} log={logs[1]} other={logs[0]} />
      </div>
      {logs.includes(undefined) && <Notice kind="warning">One of the runs did not reach this step.</Notice>}
      {after !== undefined && after.error !== null && <StepError execution={second} log={after} />}
      {before !== undefined && after !== undefined && (
        <>
          {before.error !== after.error && (
            <Difference title="Error">
              <DiffView before={before.error} after={after.error} />
            </Difference>
          )}
          <Difference title="Input">
            <DiffView before={before.input} after={after.input} />
          </Difference>
          <Difference title="Output">
            <DiffView before={before.output} after={after.output} />
          </Difference>
        </>
      )}
    </>
  );
}

/** The entry with its complete values. */
function useWholeLog({ execution_id: id }: ExecutionDetail, log: ExecutionLog | undefined): ExecutionLog | undefined {
  const isCut = log !== undefined && (isShortened(log.input) || isShortened(log.output));
  const whole = useQuery({ ...executionLogQuery(id, log?.id ?? 1), enabled: isCut });
  return isCut ? whole.data : log;
}

interface RunCardProps {
  readonly title: string;
  readonly execution: ExecutionDetail;
  readonly log: ExecutionLog | undefined;
  /** The attempt to which the time is compared. */
  readonly other?: ExecutionLog | undefined;
}

function RunCard({ title, execution, log, other }: RunCardProps) {
  return (
    <section className="flex flex-col gap-1 rounded-card border border-line bg-surface px-4 py-3 text-[13px]">
      <h2 className="flex items-baseline justify-between gap-2 font-medium">
        {title}
        <Link
          to="/runs/$id"
          params={{ id: execution.execution_id }}
          search={log === undefined ? {} : { step: log.node_id, ...(log.frame !== '' && { frame: log.frame }) }}
          className="font-normal text-accent hover:underline"
        >
          Open run
        </Link>
      </h2>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-muted tabular-nums">
        {log !== undefined && <StepStatusText status={log.status} />}
        <span>Version {execution.workflow_version}</span>
        <RelativeTime at={execution.accepted_at} />
        {log !== undefined && <span>{durationText(log.duration_ms)}</span>}
        {log !== undefined && other !== undefined && <Delta ms={log.duration_ms - other.duration_ms} />}
      </div>
    </section>
  );
}

function Delta({ ms }: { readonly ms: number }) {
  if (Math.abs(ms) < 1) return <span>same time</span>;
  return (
    <span className="font-medium text-ink">
      {ms > 0 ? `${durationText(ms)} slower` : `${durationText(-ms)} faster`}
    </span>
  );
}

function Difference({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="rounded-card border border-line bg-surface p-4">
      <h2 className="mb-2 font-semibold">{title}</h2>
      {children}
    </section>
  );
}
