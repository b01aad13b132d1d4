import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Activity, Search } from 'lucide-react';
import { useMemo, useState } from 'react';
import { type Execution, type ExecutionStatus, executionsQuery } from '../api/executions.ts';
import { workflowsQuery } from '../api/workflows.ts';
import { heldRuns } from '../runs/held-runs.ts';
import { Button, buttonClasses } from '../ui/button.tsx';
import { now } from '../ui/clock.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { inputClasses } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { SkeletonRows } from '../ui/skeleton-rows.tsx';
import { ExecutionStatusText, executionStatusNames } from '../ui/status.tsx';
import { durationText, instantOf } from '../ui/time.ts';

const pageSize = 50;

/** The periods that the list can be limited to, in hours; the address has the name. */
const periods = { hour: 1, day: 24, week: 168, month: 720 } as const;
const periodNames = { hour: 'Last hour', day: 'Last day', week: 'Last week', month: 'Last month' } as const;
const hourMs = 3_600_000;

/** The executions of all workflows that the user may read, newest first. The address contains the filters. */
export function RunsPage() {
  const search = useSearch({ from: '/app/runs' });
  const navigate = useNavigate({ from: '/runs' });
  const { workflow = '', status = '', q = '', period = '', page = 1 } = search;
  // The list is read every few seconds: a limit that moves with each reading would be another list.
  const since = useMemo(() => sinceOf(period, now()), [period]);
  const filter = {
    ...(workflow !== '' && { workflow_slug: workflow }),
    ...(status !== '' && { status: status as ExecutionStatus }),
    ...(q !== '' && { q }),
    ...(since !== null && { since }),
  };
  const { data, error, isPending, isPlaceholderData } = useQuery(
    executionsQuery({ ...filter, limit: pageSize, offset: (page - 1) * pageSize }),
  );
  const { rows, newer, showNewer } = useHeldRuns(
    isPlaceholderData ? undefined : data?.items,
    JSON.stringify({ filter, page }),
  );
  const isFiltered = Object.keys(filter).length > 0;
  const change = (changed: Partial<RunFiltersProps['search'] & { page: number }>): void =>
    void navigate({ search: { workflow, status, q, period, page: 1, ...changed }, replace: true });
  return (
    <>
      <PageHeader title="Runs" />
      <div className="flex flex-col gap-4 p-4 md:p-6">
        <RunFilters search={{ workflow, status, q, period }} onChange={change} />
        {error !== null && <Notice kind="error">{error.message}</Notice>}
        {isPending && <SkeletonRows rows={8} />}
        {data?.items.length === 0 && <NoRuns isFiltered={isFiltered} />}
        {page === 1 && newer > 0 && (
          <button
            type="button"
            onClick={showNewer}
            className="self-center rounded-full bg-accent px-4 py-1.5 font-medium text-[13px] text-on-accent hover:bg-accent-strong"
          >
            <span role="status">
              {newer >= pageSize ? `${pageSize} or more new runs` : newer === 1 ? '1 new run' : `${newer} new runs`}
            </span>
          </button>
        )}
        {data !== undefined && rows.length > 0 && (
          <>
            <RunTable executions={rows} />
            <div className="flex items-center gap-3 text-muted tabular-nums">
              <span className="flex-1">{data.total.toLocaleString('en')} runs</span>
              <Button disabled={page === 1} onClick={() => change({ page: page - 1 })}>
                Newer
              </Button>
              <Button disabled={page * pageSize >= data.total} onClick={() => change({ page: page + 1 })}>
                Older
              </Button>
            </div>
          </>
        )}
      </div>
    </>
  );
}

function sinceOf(period: string, at: number): string | null {
  if (!Object.hasOwn(periods, period)) return null;
  return new Date(at - periods[period as keyof typeof periods] * hourMs).toISOString();
}

/** The rows of one list, held until the person asks for newer ones or for another list. */
function useHeldRuns(latest: readonly Execution[] | undefined, list: string) {
  const [held, setHeld] = useState<{ readonly list: string; readonly rows: readonly Execution[] } | null>(null);
  if (latest !== undefined && held?.list !== list) setHeld({ list, rows: latest });
  const shown = heldRuns(held?.rows ?? [], latest ?? []);
  return { ...shown, showNewer: () => setHeld(latest === undefined ? null : { list, rows: latest }) };
}

interface RunFiltersProps {
  readonly search: {
    readonly workflow: string;
    readonly status: string;
    readonly q: string;
    readonly period: string;
  };
  readonly onChange: (changed: Partial<RunFiltersProps['search']>) => void;
}

function RunFilters({ search: { workflow, status, q, period }, onChange }: RunFiltersProps) {
  const { data } = useQuery(workflowsQuery({ limit: 1000, offset: 0 }));
  const slugs = (data?.items ?? []).map(({ slug }) => slug);
  return (
    <search className="flex flex-wrap gap-3">
      <label className="w-44 max-sm:flex-1">
        <span className="sr-only">Status</span>
        <select className={inputClasses} value={status} onChange={({ target }) => onChange({ status: target.value })}>
          <option value="">Every status</option>
          {executionStatusNames.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label className="w-44 max-sm:flex-1">
        <span className="sr-only">Workflow</span>
        <select
          className={inputClasses}
          value={workflow}
          onChange={({ target }) => onChange({ workflow: target.value })}
        >
          <option value="">Every workflow</option>
          {workflow !== '' && !slugs.includes(workflow) && <option value={workflow}>{workflow}</option>}
          {slugs.map((slug) => (
            <option key={slug} value={slug}>
              {slug}
            </option>
          ))}
        </select>
      </label>
      <label className="w-36 max-sm:flex-1">
        <span className="sr-only">Period</span>
        <select className={inputClasses} value={period} onChange={({ target }) => onChange({ period: target.value })}>
          <option value="">Any time</option>
          {Object.entries(periodNames).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label className="w-64 max-sm:w-full">
        <span className="sr-only">Text in the payload, the output or an error</span>
        <input
          type="search"
          className={inputClasses}
          placeholder="Text in payload, output or error"
          defaultValue={q}
          onChange={({ target }) => onChange({ q: target.value })}
        />
      </label>
    </search>
  );
}

function NoRuns({ isFiltered }: { readonly isFiltered: boolean }) {
  if (!isFiltered) {
    return (
      <EmptyState icon={<Activity size={32} aria-hidden="true" />} title="No runs yet">
        A run appears here when a trigger starts a workflow, or when you run one in the editor.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<Search size={32} aria-hidden="true" />}
      title="No run matches"
      action={
        <Link to="/runs" className={buttonClasses()}>
          Clear the filters
        </Link>
      }
    >
      Runs may exist, but none with this status, workflow, time and text.
    </EmptyState>
  );
}

const cell = 'px-4 py-2.5 align-middle max-sm:px-2.5';

function RunTable({ executions }: { readonly executions: readonly Execution[] }) {
  return (
    <div className="overflow-hidden rounded-card border border-line bg-surface">
      <table className="w-full border-collapse text-left">
        <thead className="border-line border-b text-[12px] text-muted">
          <tr>
            <th className={`${cell} font-medium`}>Status</th>
            <th className={`${cell} font-medium`}>Workflow</th>
            <th className={`${cell} font-medium max-lg:hidden`}>Trigger</th>
            <th className={`${cell} font-medium max-md:hidden`}>Error</th>
            <th className={`${cell} text-right font-medium max-sm:hidden`}>Duration</th>
            <th className={`${cell} text-right font-medium`}>Started</th>
          </tr>
        </thead>
        <tbody>
          {executions.map((execution) => (
            <RunRow key={execution.execution_id} execution={execution} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RunRow({ execution }: { readonly execution: Execution }) {
  const { execution_id: id, status, workflow_slug: slug, error_message: error, started_at: from } = execution;
  const { accepted_at: acceptedAt, completed_at: to } = execution;
  const duration = from === null || to === null ? '' : durationText(instantOf(to) - instantOf(from));
  return (
    <tr className="relative border-line not-last:border-b hover:bg-hover">
      <td className={cell}>
        <Link to="/runs/$id" params={{ id }} className="after:absolute after:inset-0 hover:underline">
          <ExecutionStatusText status={status} />
        </Link>
      </td>
      <td className={`${cell} max-w-48 truncate`}>
        {slug} <span className="text-[12px] text-muted max-sm:hidden">v{execution.workflow_version}</span>
      </td>
      <td className={`${cell} max-w-36 truncate text-muted max-lg:hidden`}>
        {execution.replay_of === null ? execution.trigger_node_id : 'Replay'}
      </td>
      <td className={`${cell} max-w-80 truncate text-muted max-md:hidden`} title={error ?? undefined}>
        {error}
      </td>
      <td className={`${cell} text-right text-muted tabular-nums max-sm:hidden`}>{duration}</td>
      <td className={`${cell} whitespace-nowrap text-right text-muted`}>
        <RelativeTime at={acceptedAt} />
      </td>
    </tr>
  );
}
