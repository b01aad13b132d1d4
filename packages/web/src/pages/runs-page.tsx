import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Activity, Search } from 'lucide-react';
import { type Execution, type ExecutionStatus, executionsQuery } from '../api/executions.ts';
import { Button, buttonClasses } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { inputClasses } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { SkeletonRows } from '../ui/skeleton-rows.tsx';
import { ExecutionStatusText, executionStatusNames } from '../ui/status.tsx';
import { durationText, instantOf } from '../ui/time.ts';

const pageSize = 50;

/** The executions of all workflows that the user may read, newest first. The address contains the filters. */
export function RunsPage() {
  const search = useSearch({ from: '/app/runs' });
  const navigate = useNavigate({ from: '/runs' });
  const { workflow, status, q, page } = search;
  const filter = {
    ...(workflow !== '' && { workflow_slug: workflow }),
    ...(status !== '' && { status: status as ExecutionStatus }),
    ...(q !== '' && { q }),
  };
  const { data, error, isPending } = useQuery(
    executionsQuery({ ...filter, limit: pageSize, offset: (page - 1) * pageSize }),
  );
  const isFiltered = Object.keys(filter).length > 0;
  const change = (changed: Partial<typeof search>): void =>
    void navigate({ search: { ...search, page: 1, ...changed }, replace: true });
  return (
    <>
      <PageHeader title="Runs" />
      <div className="flex flex-col gap-4 p-4 md:p-6">
        <search className="flex flex-wrap gap-3">
          <label className="w-44">
            <span className="sr-only">Status</span>
            <select className={inputClasses} value={status} onChange={({ target }) => change({ status: target.value })}>
              <option value="">Every status</option>
              {executionStatusNames.map(([value, name]) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <label className="w-44">
            <span className="sr-only">Workflow</span>
            <input
              className={inputClasses}
              placeholder="Slug of a workflow"
              defaultValue={workflow}
              onChange={({ target }) => change({ workflow: target.value.trim() })}
            />
          </label>
          <label className="w-64">
            <span className="sr-only">Text in the payload, the output or an error</span>
            <input
              type="search"
              className={inputClasses}
              placeholder="Text in payload, output or error"
              defaultValue={q}
              onChange={({ target }) => change({ q: target.value })}
            />
          </label>
        </search>
        {error !== null && <Notice kind="error">{error.message}</Notice>}
        {isPending && <SkeletonRows rows={8} />}
        {data?.items.length === 0 && <NoRuns isFiltered={isFiltered} />}
        {data !== undefined && data.items.length > 0 && (
          <>
            <RunTable executions={data.items} />
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
      Runs exist, but none with this status, workflow and text.
    </EmptyState>
  );
}

const cell = 'px-4 py-2.5 align-middle';

function RunTable({ executions }: { readonly executions: readonly Execution[] }) {
  return (
    <div className="overflow-hidden rounded-card border border-line bg-surface">
      <table className="w-full border-collapse text-left">
        <thead className="border-line border-b text-[12px] text-muted">
          <tr>
            <th className={`${cell} font-medium`}>Status</th>
            <th className={`${cell} font-medium`}>Workflow</th>
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
    <tr className="border-line not-last:border-b hover:bg-hover">
      <td className={cell}>
        <Link to="/runs/$id" params={{ id }} className="hover:underline">
          <ExecutionStatusText status={status} />
        </Link>
      </td>
      <td className={`${cell} max-w-48 truncate`}>{slug}</td>
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
