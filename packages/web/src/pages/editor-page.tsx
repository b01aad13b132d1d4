import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import { nodeTypesQuery } from '../api/node-types.ts';
import { workflowQuery } from '../api/workflows.ts';
import { Canvas } from '../canvas/canvas.tsx';
import { useLiveWorkflow } from '../state/use-live-workflow.ts';
import { Notice } from '../ui/notice.tsx';

/** A workflow on the canvas. */
export function EditorPage() {
  const { slug } = useParams({ from: '/app/w/$slug' });
  const workflow = useQuery(workflowQuery(slug));
  const types = useQuery(nodeTypesQuery);
  useLiveWorkflow(slug);
  const error = workflow.error ?? types.error;
  return (
    <>
      <header className="flex h-14 shrink-0 items-center gap-2 border-line border-b bg-surface px-3">
        <Link
          to="/workflows"
          aria-label="All workflows"
          className="flex size-8 items-center justify-center rounded-control text-muted hover:bg-hover"
        >
          <ChevronLeft size={18} aria-hidden="true" />
        </Link>
        <h1 className="truncate font-semibold text-[16px]">{workflow.data?.name ?? slug}</h1>
      </header>
      <div className="relative min-h-0 flex-1">
        {error !== null && (
          <div className="p-6">
            <Notice kind="error">{error.message}</Notice>
          </div>
        )}
        {workflow.data !== undefined && types.data !== undefined && (
          <Canvas key={workflow.data.id} graph={workflow.data} types={types.data} />
        )}
      </div>
    </>
  );
}
