import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { RotateCcw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { purgeWorkflow, restoreWorkflow, type TrashedWorkflow, trashQuery } from '../api/trash.ts';
import { Button, buttonClasses } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { SkeletonRows } from '../ui/skeleton-rows.tsx';

/** The service returns at most this many deleted workflows at once. */
const pageSize = 1000;

/** The user's deleted workflows, which can be restored. */
export function TrashPage() {
  const { data, error, isPending } = useQuery(trashQuery({ limit: pageSize, offset: 0 }));
  return (
    <>
      <PageHeader title="Trash">
        <Link to="/workflows" className={buttonClasses()}>
          Workflows
        </Link>
      </PageHeader>
      <div className="flex flex-col gap-4 p-4 md:p-6">
        {error !== null && <Notice kind="error">{error.message}</Notice>}
        {isPending && <SkeletonRows rows={3} />}
        {data?.items.length === 0 && (
          <EmptyState icon={<Trash2 size={32} aria-hidden="true" />} title="The trash is empty">
            A deleted workflow stays here with its versions and runs until you restore it or delete it permanently.
          </EmptyState>
        )}
        {data !== undefined && data.items.length > 0 && (
          <ul className="overflow-hidden rounded-card border border-line bg-surface">
            {data.items.map((workflow) => (
              <TrashRow key={workflow.id} workflow={workflow} />
            ))}
          </ul>
        )}
      </div>
    </>
  );
}

function TrashRow({ workflow }: { readonly workflow: TrashedWorkflow }) {
  const { id, name, slug, deleted_at: deletedAt } = workflow;
  const [isAsking, setAsking] = useState(false);
  const cache = useQueryClient();
  const restore = useMutation({
    mutationFn: () => restoreWorkflow(id),
    onSuccess: () => cache.invalidateQueries({ queryKey: ['workflows'] }),
  });
  return (
    <li className="flex flex-col gap-2 border-line px-4 py-3 not-last:border-b">
      <div className="flex flex-wrap items-center gap-2">
        <div className="min-w-40 flex-1">
          <div className="truncate font-medium">{name}</div>
          <div className="text-[12px] text-muted">
            <span className="font-mono">{slug}</span> · deleted <RelativeTime at={deletedAt} />
          </div>
        </div>
        <Button
          icon={<RotateCcw size={14} aria-hidden="true" />}
          aria-label={`Restore ${name}`}
          disabled={restore.isPending}
          onClick={() => restore.mutate()}
        >
          Restore
        </Button>
        <Button kind="danger" aria-label={`Delete permanently: ${name}`} onClick={() => setAsking(true)}>
          Delete permanently
        </Button>
      </div>
      {restore.error !== null && <Notice kind="error">{restore.error.message}</Notice>}
      <PurgeDialog workflow={workflow} isOpen={isAsking} onOpenChange={setAsking} />
    </li>
  );
}

interface PurgeDialogProps {
  readonly workflow: TrashedWorkflow;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
}

/** Asks before a workflow is deleted permanently, because nothing can undo it. */
function PurgeDialog({ workflow: { id, name }, isOpen, onOpenChange }: PurgeDialogProps) {
  const cache = useQueryClient();
  const purge = useMutation({
    mutationFn: () => purgeWorkflow(id),
    onSuccess: () => cache.invalidateQueries({ queryKey: ['workflows', 'trash'] }),
  });
  return (
    <Dialog
      title={`Delete ${name} permanently?`}
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      actions={
        <>
          <Button onClick={() => onOpenChange(false)}>Cancel</Button>
          <Button kind="danger" disabled={purge.isPending} onClick={() => purge.mutate()}>
            Delete permanently
          </Button>
        </>
      }
    >
      <p>This also deletes its versions and runs. It cannot be undone.</p>
      {purge.error !== null && <Notice kind="error">{purge.error.message}</Notice>}
    </Dialog>
  );
}
