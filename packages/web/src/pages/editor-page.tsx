import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { nodeTypesQuery } from '../api/node-types.ts';
import { type WorkflowDetail, workflowQuery } from '../api/workflows.ts';
import { AddNodeDialog } from '../canvas/add/add-node-dialog.tsx';
import type { AddRequest } from '../canvas/add/quick-add.ts';
import { Canvas } from '../canvas/canvas.tsx';
import { CardFocus } from '../canvas/keyboard/card-focus.ts';
import { tooltipOf } from '../commands/use-commands.ts';
import { Conflicts } from '../editor/conflicts.tsx';
import { DraftState } from '../editor/draft-state.tsx';
import { EditorTitle } from '../editor/editor-title.tsx';
import { SkipLinks } from '../editor/skip-links.tsx';
import { useAnnouncements } from '../editor/use-announcements.ts';
import { useSelection } from '../editor/use-selection.ts';
import { firstView, ViewSwitch } from '../editor/view-switch.tsx';
import { WorkflowLinks } from '../editor/workflow-links.tsx';
import { ProblemsButton } from '../panel/problems/problems-panel.tsx';
import { useProblemCounts } from '../panel/problems/use-problem-counts.ts';
import { RunBar } from '../runs/run-bar.tsx';
import { RunButton } from '../start/run-button.tsx';
import { samplesOperation } from '../start/samples-operation.ts';
import type { Graph, GraphNode } from '../state/graph.ts';
import { ProblemCountsContext } from '../state/problem-counts.ts';
import type { RunOverlay } from '../state/run-overlay.ts';
import { newRunOverlay, RunOverlayContext } from '../state/run-overlay-context.ts';
import { type OpenDraft, useDraft, whenSaved } from '../state/use-draft.ts';
import { useIsReadOnly } from '../state/use-is-read-only.ts';
import { useLiveWorkflow } from '../state/use-live-workflow.ts';
import { useShownRun } from '../state/use-shown-run.ts';
import { Button } from '../ui/button.tsx';
import { now } from '../ui/clock.ts';
import { Notice } from '../ui/notice.tsx';
import { PublishButton } from '../versions/publish-button.tsx';

// The code editor is large, and few people open it at once.
const TextPane = lazy(async () => ({ default: (await import('../text/text-pane.tsx')).TextPane }));

// The form of a node and the outline appear only when somebody selects a node or chooses that view.
const Inspector = lazy(async () => ({ default: (await import('../panel/inspector.tsx')).Inspector }));
const OutlinePane = lazy(async () => ({ default: (await import('../outline/outline-pane.tsx')).OutlinePane }));

/** A workflow on the canvas. */
export function EditorPage() {
  const { slug } = useParams({ from: '/app/w/$slug' });
  const workflow = useQuery(workflowQuery(slug));
  const types = useQuery(nodeTypesQuery);
  const search = useSearch({ from: '/app/w/$slug' });
  const [overlay] = useState(newRunOverlay);
  useLiveWorkflow(slug, overlay);
  const isReadOnly = useIsReadOnly(slug);
  const { draft, error: draftError } = useDraft(slug, workflow.data?.id, { now, isReadOnly });
  useRunInAddress(slug, overlay, draft?.graph);
  const perform = useAnnouncements(overlay, draft, types.data);
  const [focus] = useState(() => new CardFocus());
  const problems = useProblemCounts(slug, draft);
  const { selected, request, select, showField } = useSelection(search.node ?? null);
  const [adding, setAdding] = useState<AddRequest | null>(null);
  const [view, setView] = useState(firstView);
  const [runError, setRunError] = useState<string | null>(null);
  const selectedNode = draft?.graph.nodes.find((node) => node.node_id === selected);
  const message = (workflow.error ?? types.error ?? draftError)?.message ?? draft?.rejection ?? runError;
  return (
    <RunOverlayContext value={overlay}>
      <ProblemCountsContext value={problems}>
        <SkipLinks shown={[view.main, ...(selectedNode === undefined ? [] : (['inspector'] as const))]} />
        <header className="flex min-h-14 shrink-0 flex-wrap items-center gap-2 border-line border-b bg-surface px-3 py-2">
          <EditorTitle name={workflow.data?.name ?? slug} />
          {draft !== null && <DraftState draft={draft} isReadOnly={isReadOnly} onShow={showField} />}
          <WorkflowLinks slug={slug} />
          <ViewSwitch view={view} onChange={setView} />
          {!isReadOnly && <AddNodeButton isDisabled={types.data === undefined} onAdd={() => setAdding({})} />}
          {draft !== null && <ProblemsButton slug={slug} draft={draft} onShow={showField} />}
          {workflow.data !== undefined && draft !== null && !isReadOnly && (
            <WorkflowActions
              workflow={workflow.data}
              draft={draft}
              selected={selectedNode ?? null}
              onRunError={setRunError}
            />
          )}
        </header>
        {message !== null && <Failure message={message} />}
        {draft !== null && <Conflicts slug={slug} conflicts={draft.snapshot.conflicts} store={draft.store} />}
        <div className="relative flex min-h-0 flex-1">
          {view.hasText && draft !== null && (
            <Suspense fallback={null}>
              <TextPane
                slug={slug}
                store={draft.store}
                selected={selected}
                onSelect={select}
                onClose={() => setView({ ...view, hasText: false })}
              />
            </Suspense>
          )}
          <div className="min-w-0 flex-1">
            {draft !== null && types.data !== undefined && view.main === 'outline' && (
              <Suspense fallback={null}>
                <OutlinePane
                  graph={draft.graph}
                  types={types.data}
                  perform={perform}
                  selected={selected}
                  onSelect={select}
                  onAdd={setAdding}
                />
              </Suspense>
            )}
            {draft !== null && types.data !== undefined && view.main === 'canvas' && (
              <Canvas
                key={workflow.data?.id}
                graph={draft.graph}
                types={types.data}
                perform={perform}
                contest={draft.contest}
                isReadOnly={isReadOnly}
                selected={selected}
                onSelect={select}
                onAdd={setAdding}
                focus={focus}
                problems={[...problems.values()].reduce((sum, { count }) => sum + count, 0)}
              />
            )}
          </div>
          {draft !== null && selectedNode !== undefined && (
            <Suspense fallback={null}>
              <Inspector
                key={selectedNode.node_id}
                {...{ slug, draft, request, perform }}
                node={selectedNode}
                type={types.data?.[selectedNode.component_type]}
                onClose={() => select(null)}
                onSelect={select}
                onAdd={setAdding}
              />
            </Suspense>
          )}
          {types.data !== undefined && draft !== null && (
            <AddNodeDialog
              request={adding}
              graph={draft.graph}
              types={types.data}
              perform={perform}
              onClose={() => setAdding(null)}
              onAdded={select}
              onFocus={(nodeId) => focus.request(nodeId)}
            />
          )}
        </div>
        <RunBar onShow={select} />
      </ProblemCountsContext>
    </RunOverlayContext>
  );
}

/** The address names the execution on the canvas, so that a reload and another person see the same one. */
function useRunInAddress(slug: string, overlay: RunOverlay, draft: Graph | undefined): void {
  const { run: id } = useSearch({ from: '/app/w/$slug' });
  const navigate = useNavigate({ from: '/w/$slug' });
  const onShow = (run: string): void => void navigate({ search: (before) => ({ ...before, run }), replace: true });
  useShownRun(overlay, { slug, id, onShow, draft });
}

interface WorkflowActionsProps {
  readonly workflow: WorkflowDetail;
  readonly draft: OpenDraft;
  readonly selected: GraphNode | null;
  readonly onRunError: (message: string | null) => void;
}

/** Publishing the draft, and running it: both after it is saved. A reader may do neither. */
function WorkflowActions({ workflow, draft, selected, onRunError }: WorkflowActionsProps) {
  const { graph, perform } = draft;
  return (
    <>
      <PublishButton workflow={workflow} graph={graph} save={() => whenSaved(draft)} />
      <RunButton
        workflow={{ ...workflow, nodes: [...graph.nodes], edges: [...graph.edges] }}
        onError={onRunError}
        selected={selected}
        beforeRun={() => whenSaved(draft)}
        onSaveSamples={(nodeId, samples) => perform('Change samples', [samplesOperation(graph, nodeId, samples)])}
      />
    </>
  );
}

function AddNodeButton({ isDisabled, onAdd }: { readonly isDisabled: boolean; readonly onAdd: () => void }) {
  return (
    <Button
      icon={<Plus size={15} aria-hidden="true" />}
      title={tooltipOf('node.add')}
      disabled={isDisabled}
      onClick={onAdd}
    >
      <span className="max-lg:sr-only">Add node</span>
    </Button>
  );
}

function Failure({ message }: { readonly message: string }) {
  return (
    <div className="px-3 pt-3">
      <Notice kind="error">{message}</Notice>
    </div>
  );
}
