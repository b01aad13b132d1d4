import { exactJson, exactJsonText } from '@millrace/core/editing';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Check, RotateCw, TriangleAlert } from 'lucide-react';
import { useId, useState } from 'react';
import { type ExecutionDetail, replayExecution } from '../api/executions.ts';
import { nodeTypesQuery } from '../api/node-types.ts';
import { versionQuery, workflowQuery } from '../api/workflows.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { inputClasses } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { SkeletonRows } from '../ui/skeleton-rows.tsx';
import { type ReplayPlan, replayPlan } from './replay-plan.ts';
import { isShortened } from './step-values.ts';

interface ReplayDialogProps {
  readonly execution: ExecutionDetail;
  readonly fromNode: string;
  readonly onClose: () => void;
}

/** Replays an execution from a node: what is reused, what is performed again, with which input and version. */
export function ReplayDialog({ execution, fromNode, onClose }: ReplayDialogProps) {
  const { workflow_slug: slug, workflow_version: original } = execution;
  const [version, setVersion] = useState(original);
  const [edited, setEdited] = useState<Readonly<Record<string, string>>>({});
  const types = useQuery(nodeTypesQuery);
  const graph = useQuery(versionQuery(slug, version));
  const navigate = useNavigate();
  const overrides = overridesOf(edited);
  const plan =
    types.data === undefined || graph.data === undefined
      ? null
      : replayPlan({ graph: graph.data.graph, types: types.data, logs: execution.logs }, fromNode);
  const replay = useMutation({
    mutationFn: () => replayExecution(execution.execution_id, { fromNode, overrides: overrides ?? {}, version }),
    onSuccess: ({ execution_id: id }) => {
      onClose();
      return navigate({ to: '/runs/$id', params: { id } });
    },
  });
  const error = replay.error ?? graph.error ?? types.error;
  return (
    <Dialog
      title={`Replay from ${plan?.from ?? fromNode}`}
      description="A new run starts, which links to this one. This run stays as it is."
      isOpen
      onOpenChange={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            icon={<RotateCw size={15} aria-hidden="true" />}
            disabled={plan === null || overrides === null || replay.isPending}
            onClick={() => replay.mutate()}
          >
            Replay
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {error !== null && <Notice kind="error">{error.message}</Notice>}
        <VersionSelect slug={slug} original={original} version={version} onVersion={setVersion} />
        {plan === null ? <SkeletonRows rows={3} /> : <PlanList plan={plan} fromNode={fromNode} />}
        {plan !== null && (
          <InputEditors
            execution={execution}
            nodeIds={plan.inputs.length > 0 ? plan.inputs : [execution.trigger_node_id]}
            edited={edited}
            onEdit={(nodeId, text) => setEdited({ ...edited, [nodeId]: text })}
          />
        )}
      </div>
    </Dialog>
  );
}

/** The overrides that a person wrote; null if one is not a JSON object. */
function overridesOf(edited: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> | null {
  try {
    const entries = Object.entries(edited).map(([nodeId, text]) => [nodeId, exactJson(text)] as const);
    const isObject = ([, value]: readonly [string, unknown]): boolean =>
      typeof value === 'object' && value !== null && !Array.isArray(value);
    return entries.every(isObject) ? Object.fromEntries(entries) : null;
  } catch {
    return null;
  }
}

interface VersionSelectProps {
  readonly slug: string;
  readonly original: number;
  readonly version: number;
  readonly onVersion: (version: number) => void;
}

function VersionSelect({ slug, original, version, onVersion }: VersionSelectProps) {
  const { data } = useQuery(workflowQuery(slug));
  const choices = new Map([[original, `Version ${original}, which this run used`]]);
  const published = data?.published_version ?? null;
  if (published !== null && !choices.has(published)) choices.set(published, `Version ${published}, published`);
  if (data !== undefined && !choices.has(data.version))
    choices.set(data.version, `Version ${data.version}, the newest`);
  return (
    <label className="flex flex-col gap-1">
      <span className="font-medium text-[13px]">Version</span>
      <select className={inputClasses} value={version} onChange={({ target }) => onVersion(Number(target.value))}>
        {[...choices].map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function PlanList({ plan, fromNode }: { readonly plan: ReplayPlan; readonly fromNode: string }) {
  const effects = plan.performed.filter(({ effect }) => effect !== null);
  return (
    <div className="flex flex-col gap-3 text-[13px]">
      {plan.from !== fromNode && (
        <Notice kind="info">
          {fromNode} is in the loop {plan.from}, which runs again as a whole.
        </Notice>
      )}
      {effects.length > 0 && (
        <Notice kind="warning">
          <p className="font-medium">These nodes act outside of the run:</p>
          <ul className="list-disc pl-4">
            {effects.map(({ nodeId, effect }) => (
              <li key={nodeId}>
                <strong className="font-medium">{nodeId}</strong> {effect}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <div className="grid gap-3 sm:grid-cols-2">
        <section>
          <h3 className="mb-1 font-medium">Reused ({plan.reused.length})</h3>
          <ul className="flex max-h-40 flex-col gap-1 overflow-y-auto">
            {plan.reused.map((nodeId) => (
              <li key={nodeId} className="flex items-center gap-1.5">
                <Check size={14} className="shrink-0 text-success" aria-hidden="true" />
                <span className="truncate">{nodeId}</span>
              </li>
            ))}
            {plan.reused.length === 0 && <li className="text-muted">Nothing.</li>}
          </ul>
        </section>
        <section>
          <h3 className="mb-1 font-medium">Performed again ({plan.performed.length})</h3>
          <ul className="flex max-h-40 flex-col gap-1 overflow-y-auto">
            {plan.performed.map(({ nodeId, effect }) => (
              <li key={nodeId} className="flex items-center gap-1.5">
                {effect === null ? (
                  <RotateCw size={14} className="shrink-0 text-muted" aria-hidden="true" />
                ) : (
                  <TriangleAlert size={14} className="shrink-0 text-warning" aria-label="Acts outside of the run" />
                )}
                <span className="truncate">{nodeId}</span>
              </li>
            ))}
          </ul>
        </section>
      </div>
    </div>
  );
}

interface InputEditorsProps {
  readonly execution: ExecutionDetail;
  readonly nodeIds: readonly string[];
  readonly edited: Readonly<Record<string, string>>;
  readonly onEdit: (nodeId: string, text: string) => void;
}

/** The outputs before the first performed node. What a person changes replaces them in the new run. */
function InputEditors({ execution, nodeIds, edited, onEdit }: InputEditorsProps) {
  return (
    <details className="text-[13px]">
      <summary className="cursor-pointer font-medium">Change the input</summary>
      <div className="flex flex-col gap-3 pt-2">
        {nodeIds.map((nodeId) => {
          const before = outputsOf(execution, nodeId);
          return before === null ? (
            <p key={nodeId} className="text-muted">
              The outputs of {nodeId} are too large to be edited here.
            </p>
          ) : (
            <InputEditor key={nodeId} nodeId={nodeId} text={edited[nodeId] ?? before} onEdit={onEdit} />
          );
        })}
      </div>
    </details>
  );
}

interface InputEditorProps {
  readonly nodeId: string;
  readonly text: string;
  readonly onEdit: (nodeId: string, text: string) => void;
}

function InputEditor({ nodeId, text, onEdit }: InputEditorProps) {
  const id = useId();
  const isInvalid = overridesOf({ [nodeId]: text }) === null;
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id}>Outputs of {nodeId}, by port</label>
      <textarea
        id={id}
        value={text}
        spellCheck={false}
        aria-invalid={isInvalid}
        onChange={({ target }) => onEdit(nodeId, target.value)}
        className="h-32 w-full resize-y rounded-control border border-line-strong bg-surface px-2.5 py-2 font-mono text-[12px] leading-[18px] aria-invalid:border-danger"
      />
      {isInvalid && <p className="text-[12px] text-danger">This is not a JSON object.</p>}
    </div>
  );
}

/** The last outputs of a node as text; null if the detail has shortened them. */
function outputsOf(execution: ExecutionDetail, nodeId: string): string | null {
  if (nodeId === execution.trigger_node_id) return exactJsonText({ payload: execution.trigger_payload }, 2);
  const log = execution.logs.findLast((entry) => entry.node_id === nodeId && entry.status === 'success');
  if (log === undefined || isShortened(log.output)) return null;
  return exactJsonText(log.output, 2);
}
