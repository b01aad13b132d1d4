import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Plus, Search, Trash2, Workflow as WorkflowIcon } from 'lucide-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { workflowActivityQuery } from '../api/activity/workflow-activity.ts';
import { workflowsQuery } from '../api/workflows.ts';
import { Button, buttonClasses } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { SkeletonRows } from '../ui/skeleton-rows.tsx';
import { BulkNotice, DeletedNotice } from '../workflows/bulk-notices.tsx';
import { rowsOf, shownRows, type WorkflowRow } from '../workflows/list-rows.ts';
import { filterCount, type WorkflowsSearch } from '../workflows/list-search.ts';
import { useListActions } from '../workflows/use-list-actions.ts';
import { WorkflowFilters } from '../workflows/workflow-filters.tsx';
import { WorkflowTable } from '../workflows/workflow-table.tsx';

/** The service returns at most this many workflows at once; the search covers these. */
const whole = { limit: 1000, offset: 0 } as const;

/** Loaded when a workflow is selected. */
const BulkBar = lazy(() =>
  import('../workflows/bulk-bar.tsx').then(({ BulkBar: component }) => ({ default: component })),
);

/** Rows on one page: more would make the page slow. */
const pageSize = 50;

/** The workflows that the user may read. The address contains the filters and the order. */
export function WorkflowsPage() {
  const search = useSearch({ from: '/app/workflows' });
  const navigate = useNavigate({ from: '/workflows' });
  const { data, error, isPending } = useQuery(workflowsQuery(whole));
  const activities = useQuery(workflowActivityQuery(whole));
  const rows = useMemo(() => rowsOf(data?.items ?? [], activities.data?.items ?? []), [data, activities.data]);
  const shown = useMemo(() => shownRows(rows, search), [rows, search]);
  const change = (next: WorkflowsSearch): void => void navigate({ search: next, replace: true });
  return (
    <>
      <PageHeader title="Workflows">
        <Link to="/trash" className={buttonClasses('quiet')}>
          <Trash2 size={16} aria-hidden="true" /> Trash
        </Link>
        <Link to="/workflows/new" className={buttonClasses('primary')}>
          <Plus size={16} aria-hidden="true" /> New<span className="max-sm:sr-only"> workflow</span>
        </Link>
      </PageHeader>
      <div className="flex flex-col gap-4 p-4 md:p-6">
        {rows.length > 0 && (
          <WorkflowFilters search={search} rows={rows} onChange={({ page: _first, ...next }) => change(next)} />
        )}
        {error !== null && <Notice kind="error">{error.message}</Notice>}
        {isPending && <SkeletonRows rows={6} />}
        {data?.items.length === 0 && <NoWorkflows />}
        {data !== undefined && data.total > whole.limit && (
          <Notice kind="info">
            The newest {whole.limit} of {data.total.toLocaleString('en')} workflows are listed.
          </Notice>
        )}
        <WorkflowList rows={rows} shown={shown} search={search} onChange={change} />
      </div>
    </>
  );
}

interface WorkflowListProps {
  /** All workflows. */
  readonly rows: readonly WorkflowRow[];
  /** Those that pass the filters. */
  readonly shown: readonly WorkflowRow[];
  readonly search: WorkflowsSearch;
  readonly onChange: (search: WorkflowsSearch) => void;
}

function WorkflowList({ rows, shown, search, onChange }: WorkflowListProps) {
  const actions = useListActions(rows);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const chosen = shown.filter(({ workflow }) => selected.has(workflow.slug)).map(({ workflow }) => workflow);
  const page = Math.min(search.page ?? 1, Math.max(1, Math.ceil(shown.length / pageSize)));
  const select = (slugs: readonly string[], isSelected: boolean): void => {
    const next = new Set(selected);
    for (const slug of slugs) isSelected ? next.add(slug) : next.delete(slug);
    setSelected(next);
  };
  const isWorking = actions.bulk.state?.isRunning === true;
  return (
    <>
      <BulkNotice bulk={actions.bulk} onRetry={actions.retry} />
      <DeletedNotice deleted={actions.deleted} isWorking={isWorking} onUndo={() => void actions.undo()} />
      {actions.copied !== null && (
        <Notice kind="info">Copied the command that calls the webhook of “{actions.copied.name}”.</Notice>
      )}
      {chosen.length > 0 && (
        <Suspense>
          <BulkBar
            count={chosen.length}
            isWorking={isWorking}
            onTag={(tag) => void actions.tag(chosen, tag)}
            onExport={() => void actions.exportAll(chosen)}
            onDelete={() => void actions.remove(chosen)}
            onClear={() => setSelected(new Set())}
          />
        </Suspense>
      )}
      {rows.length > 0 && shown.length === 0 && (
        <NothingFound filters={filterCount(search)} onClear={() => onChange({})} />
      )}
      {shown.length > 0 && (
        <WorkflowTable
          rows={shown.slice((page - 1) * pageSize, page * pageSize)}
          search={search}
          onSort={(sort, isReversed) => {
            const { reverse: _old, page: _first, ...rest } = search;
            onChange({ ...rest, sort, ...(isReversed && { reverse: true }) });
          }}
          selected={selected}
          onSelect={select}
          onAction={(row, action) => void actions.act(row, action)}
        />
      )}
      {shown.length > pageSize && (
        <Pages page={page} total={shown.length} onChange={(next) => onChange({ ...search, page: next })} />
      )}
    </>
  );
}

interface PagesProps {
  readonly page: number;
  readonly total: number;
  readonly onChange: (page: number) => void;
}

function Pages({ page, total, onChange }: PagesProps) {
  const first = (page - 1) * pageSize + 1;
  return (
    <nav aria-label="Pages" className="flex items-center gap-3 text-[13px] text-muted tabular-nums">
      <span className="flex-1">
        {first}–{Math.min(total, page * pageSize)} of {total}
      </span>
      <Button disabled={page === 1} onClick={() => onChange(page - 1)}>
        Previous
      </Button>
      <Button disabled={page * pageSize >= total} onClick={() => onChange(page + 1)}>
        Next
      </Button>
    </nav>
  );
}

function NoWorkflows() {
  return (
    <EmptyState
      icon={<WorkflowIcon size={32} aria-hidden="true" />}
      title="No workflows yet"
      action={
        <Link to="/workflows/new" className={buttonClasses('primary')}>
          Start from a template
        </Link>
      }
    >
      A workflow starts with a trigger, such as a webhook or a schedule, and runs one step after the other.
    </EmptyState>
  );
}

function NothingFound({ filters, onClear }: { readonly filters: number; readonly onClear: () => void }) {
  return (
    <EmptyState
      icon={<Search size={32} aria-hidden="true" />}
      title="No workflow matches"
      action={<Button onClick={onClear}>{filters === 1 ? 'Clear the filter' : `Clear ${filters} filters`}</Button>}
    >
      There are workflows, but none with this text, these tags and this state.
    </EmptyState>
  );
}
