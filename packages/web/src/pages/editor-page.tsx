import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ChevronLeft, Play, Plus } from 'lucide-react';
import { useState } from 'react';
import { execute, executionQuery } from '../api/executions.ts';
import { type NodeType, nodeTypesQuery } from '../api/node-types.ts';
import { workflowQuery } from '../api/workflows.ts';
import { Canvas } from '../canvas/canvas.tsx';
import { NodePicker } from '../canvas/node-picker.tsx';
import { Inspector } from '../panel/inspector.tsx';
import { RunBar } from '../runs/run-bar.tsx';
import { newNode } from '../state/new-node.ts';
import { newRunOverlay, RunOverlayContext } from '../state/run-overlay-context.ts';
import { useGraphEdit } from '../state/use-graph-edit.ts';
import { useLiveWorkflow } from '../state/use-live-workflow.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';

/** A workflow on the canvas. */
export function EditorPage() {
  const { slug } = useParams({ from: '/app/w/$slug' });
  const workflow = useQuery(workflowQuery(slug));
  const types = useQuery(nodeTypesQuery);
  const [overlay] = useState(newRunOverlay);
  useLiveWorkflow(slug, overlay);
  const cache = useQueryClient();
  const run = useMutation({
    mutationFn: () => execute(slug),
    onSuccess: async ({ execution_id: id }) => {
      overlay.watch(id);
      overlay.fill(await cache.fetchQuery({ ...executionQuery(id), staleTime: 0 }));
    },
  });
  const { perform, error: editError, isSaving } = useGraphEdit(slug);
  const [selected, setSelected] = useState<string | null>(null);
  const [isPicking, setIsPicking] = useState(false);
  const add = (type: NodeType): void => {
    const node = newNode(type, workflow.data?.nodes ?? []);
    perform(`Add ${type.label}`, [{ op: 'create_node', node }]);
    setIsPicking(false);
    setSelected(node.node_id);
  };
  const selectedNode = workflow.data?.nodes.find((node) => node.node_id === selected);
  const error = workflow.error ?? types.error ?? run.error ?? editError;
  return (
    <RunOverlayContext value={overlay}>
      <header className="flex h-14 shrink-0 items-center gap-2 border-line border-b bg-surface px-3">
        <Link
          to="/workflows"
          aria-label="All workflows"
          className="flex size-8 items-center justify-center rounded-control text-muted hover:bg-hover"
        >
          <ChevronLeft size={18} aria-hidden="true" />
        </Link>
        <h1 className="min-w-0 flex-1 truncate font-semibold text-[16px]">{workflow.data?.name ?? slug}</h1>
        <span role="status" className="text-[12px] text-muted max-sm:sr-only">
          {isSaving ? 'Saving…' : 'Saved'}
        </span>
        <Button
          icon={<Plus size={15} aria-hidden="true" />}
          disabled={types.data === undefined}
          onClick={() => setIsPicking(true)}
        >
          Add node
        </Button>
        <Button
          kind="primary"
          icon={<Play size={15} aria-hidden="true" />}
          disabled={workflow.data === undefined || run.isPending}
          onClick={() => run.mutate()}
        >
          Run
        </Button>
      </header>
      {error !== null && (
        <div className="px-3 pt-3">
          <Notice kind="error">{error.message}</Notice>
        </div>
      )}
      <div className="relative flex min-h-0 flex-1">
        <div className="min-w-0 flex-1">
          {workflow.data !== undefined && types.data !== undefined && (
            <Canvas
              key={workflow.data.id}
              graph={workflow.data}
              types={types.data}
              perform={perform}
              selected={selected}
              onSelect={setSelected}
            />
          )}
        </div>
        {selectedNode !== undefined && (
          <Inspector
            key={selectedNode.id}
            node={selectedNode}
            type={types.data?.[selectedNode.component_type]}
            perform={perform}
            onClose={() => setSelected(null)}
          />
        )}
        {types.data !== undefined && (
          <NodePicker types={types.data} isOpen={isPicking} onOpenChange={setIsPicking} onPick={add} />
        )}
      </div>
      <RunBar />
    </RunOverlayContext>
  );
}
