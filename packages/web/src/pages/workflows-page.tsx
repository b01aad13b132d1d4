import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Plus, Search, Workflow as WorkflowIcon } from 'lucide-react';
import { useMemo } from 'react';
import { type Workflow, workflowsQuery } from '../api/workflows.ts';
import { buttonClasses } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { inputClasses } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { SkeletonRows } from '../ui/skeleton-rows.tsx';

/** The service returns at most this many workflows at once; a list that is longer needs the search anyway. */
const pageSize = 1000;

/** The workflows that the user may read. */
export function WorkflowsPage() {
  const { q } = useSearch({ from: '/app/workflows' });
  const navigate = useNavigate({ from: '/workflows' });
  const { data, error, isPending } = useQuery(workflowsQuery({ limit: pageSize, offset: 0 }));
  const shown = useMemo(() => (data?.items ?? []).filter((workflow) => matches(workflow, q)), [data, q]);
  const isEmpty = data !== undefined && data.items.length === 0;
  return (
    <>
      <PageHeader title="Workflows">
        <Link to="/workflows/new" className={buttonClasses('primary')}>
          <Plus size={16} aria-hidden="true" /> New workflow
        </Link>
      </PageHeader>
      <div className="flex flex-col gap-4 p-4 md:p-6">
        {!isEmpty && (
          <label className="relative max-w-sm">
            <span className="sr-only">Search workflows</span>
            <Search size={16} className="absolute top-2.5 left-2.5 text-muted" aria-hidden="true" />
            <input
              type="search"
              className={`${inputClasses} pl-8`}
              placeholder="Name, slug or tag"
              defaultValue={q}
              onChange={({ target }) => void navigate({ search: { q: target.value }, replace: true })}
            />
          </label>
        )}
        {error !== null && <Notice kind="error">{error.message}</Notice>}
        {isPending && <SkeletonRows rows={6} />}
        {isEmpty && (
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
        )}
        {data !== undefined && !isEmpty && shown.length === 0 && (
          <EmptyState
            icon={<Search size={32} aria-hidden="true" />}
            title="No workflow matches"
            action={
              <Link to="/workflows" search={{ q: '' }} className={buttonClasses()}>
                Clear the search
              </Link>
            }
          >
            No name, slug or tag contains “{q}”.
          </EmptyState>
        )}
        {shown.length > 0 && <WorkflowTable workflows={shown} />}
      </div>
    </>
  );
}

function matches({ name, slug, tags }: Workflow, q: string): boolean {
  const wanted = q.trim().toLowerCase();
  return [name, slug, ...(tags ?? [])].some((text) => text.toLowerCase().includes(wanted));
}

const cell = 'px-4 py-3 align-middle';

function WorkflowTable({ workflows }: { readonly workflows: readonly Workflow[] }) {
  return (
    <div className="overflow-hidden rounded-card border border-line bg-surface">
      <table className="w-full border-collapse text-left">
        <thead className="border-line border-b text-[12px] text-muted">
          <tr>
            <th className={`${cell} font-medium`}>Name</th>
            <th className={`${cell} font-medium max-sm:hidden`}>State</th>
            <th className={`${cell} font-medium max-md:hidden`}>Size</th>
            <th className={`${cell} text-right font-medium`}>Changed</th>
          </tr>
        </thead>
        <tbody>
          {workflows.map((workflow) => (
            <WorkflowRow key={workflow.id} workflow={workflow} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function WorkflowRow({ workflow }: { readonly workflow: Workflow }) {
  const { name, slug, tags, node_count: nodes, updated_at: changedAt } = workflow;
  return (
    <tr className="border-line not-last:border-b hover:bg-hover">
      <td className={cell}>
        <Link to="/w/$slug" params={{ slug }} className="font-medium hover:underline">
          {name}
        </Link>
        <div className="flex flex-wrap gap-x-2 text-[12px] text-muted">
          <span className="font-mono">{slug}</span>
          {(tags ?? []).map((tag) => (
            <span key={tag} className="rounded-full bg-hover px-2">
              {tag}
            </span>
          ))}
        </div>
      </td>
      <td className={`${cell} max-sm:hidden`}>
        <PublicationState workflow={workflow} />
      </td>
      <td className={`${cell} text-muted tabular-nums max-md:hidden`}>{nodes === 1 ? '1 node' : `${nodes} nodes`}</td>
      <td className={`${cell} whitespace-nowrap text-right text-muted`}>
        <RelativeTime at={changedAt} />
      </td>
    </tr>
  );
}

/** Whether triggers start the workflow, and which version they run. */
function PublicationState({ workflow }: { readonly workflow: Workflow }) {
  if (!workflow.is_active) return <State glyph="○" text="Inactive" look="text-muted" />;
  if (workflow.published_version === null) return <State glyph="●" text="Live" look="text-success" />;
  if (workflow.has_unpublished_changes) return <State glyph="◐" text="Unpublished changes" look="text-warning" />;
  return <State glyph="●" text="Published" look="text-success" />;
}

function State({ glyph, text, look }: { readonly glyph: string; readonly text: string; readonly look: string }) {
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap text-[13px]">
      <span className={look} aria-hidden="true">
        {glyph}
      </span>
      {text}
    </span>
  );
}
