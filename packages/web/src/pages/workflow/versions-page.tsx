import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { versionsQuery } from '../../api/versions.ts';
import { workflowQuery } from '../../api/workflows.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { SkeletonRows } from '../../ui/skeleton-rows.tsx';
import { VersionDetail } from '../../versions/version-detail.tsx';
import { VersionRow } from '../../versions/version-row.tsx';
import { WorkflowHeader } from './workflow-header.tsx';

const pageSize = 30;

/** The versions of a workflow: who changed what, what is published, and the way back. */
export function VersionsPage() {
  const { slug } = useParams({ from: '/app/w/$slug/versions' });
  const { version: chosen, page } = useSearch({ from: '/app/w/$slug/versions' });
  const navigate = useNavigate({ from: '/w/$slug/versions' });
  const workflow = useQuery(workflowQuery(slug));
  const list = useQuery(versionsQuery(slug, { limit: pageSize, offset: (page - 1) * pageSize }));
  const items = list.data?.items ?? [];
  const shown = items.find(({ version }) => version === chosen) ?? items[0];
  const error = workflow.error ?? list.error;
  const hasOlder = list.data !== undefined && page * pageSize < list.data.total;
  return (
    <>
      <WorkflowHeader slug={slug} title={`Versions of ${workflow.data?.name ?? slug}`} />
      {error !== null && (
        <div className="p-4">
          <Notice kind="error">{error.message}</Notice>
        </div>
      )}
      <div className="flex min-h-0 flex-1 max-md:flex-col">
        <nav
          aria-label="Versions"
          className="shrink-0 overflow-y-auto border-line bg-surface max-md:max-h-64 max-md:border-b md:w-80 md:border-r"
        >
          {list.data === undefined && error === null && <SkeletonRows rows={6} />}
          <ol>
            {items.map((item) => (
              <VersionRow
                key={item.version}
                item={item}
                slug={slug}
                isShown={item === shown}
                isPublished={item.version === workflow.data?.published_version}
                isNewest={item.version === workflow.data?.version}
              />
            ))}
          </ol>
          {(page > 1 || hasOlder) && (
            <div className="flex justify-between gap-2 p-3">
              <Button disabled={page === 1} onClick={() => void navigate({ search: { page: page - 1 } })}>
                Newer
              </Button>
              <Button disabled={!hasOlder} onClick={() => void navigate({ search: { page: page + 1 } })}>
                Older
              </Button>
            </div>
          )}
        </nav>
        <div className="min-w-0 flex-1 overflow-y-auto p-4 md:p-6">
          {shown !== undefined && workflow.data !== undefined && (
            <VersionDetail key={shown.version} item={shown} workflow={workflow.data} />
          )}
        </div>
      </div>
    </>
  );
}
