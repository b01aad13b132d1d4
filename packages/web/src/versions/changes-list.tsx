import { ArrowRight, Minus, Move, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { DiffView } from '../values/diff-view.tsx';
import { countOf, type GraphChanges, type NodeChange } from './graph-changes.ts';

const kinds = {
  added: { text: 'Added', Icon: Plus, look: 'text-success' },
  removed: { text: 'Removed', Icon: Minus, look: 'text-danger' },
  changed: { text: 'Changed', Icon: ArrowRight, look: 'text-accent' },
} as const;

interface ChangesListProps {
  readonly changes: GraphChanges;
  /** What a person can do about the change of a node. */
  readonly actionOf?: (change: NodeChange) => ReactNode;
}

/** How two versions differ: nodes with their fields, connections, and how many nodes only moved. */
export function ChangesList({ changes, actionOf = () => null }: ChangesListProps) {
  const { nodes, edges, moved } = changes;
  if (countOf(changes) === 0) return <p className="text-[13px] text-muted">Nothing differs.</p>;
  return (
    <ul aria-label="Changes" className="flex flex-col divide-y divide-line rounded-card border border-line">
      {nodes.map((change) => (
        <NodeRow key={`${change.kind} ${change.node.id}`} change={change} action={actionOf(change)} />
      ))}
      {edges.map(({ kind, text }) => (
        <li key={`${kind} ${text}`} className="flex items-center gap-2 px-3 py-2 text-[13px]">
          <Kind kind={kind} />
          <code className="min-w-0 break-words text-[12px]">{text}</code>
        </li>
      ))}
      {moved > 0 && (
        <li className="flex items-center gap-2 px-3 py-2 text-[13px] text-muted">
          <Move size={14} aria-hidden="true" />
          {moved === 1 ? '1 node was moved' : `${moved} nodes were moved`} on the canvas
        </li>
      )}
    </ul>
  );
}

interface NodeRowProps {
  readonly change: NodeChange;
  readonly action: ReactNode;
}

function NodeRow({ change: { kind, node, before, after }, action }: NodeRowProps) {
  const title = (
    <>
      <Kind kind={kind} />
      <span className="min-w-0 truncate font-medium">{node.label ?? node.node_id}</span>
      <span className="min-w-0 truncate text-[12px] text-muted">{node.component_type}</span>
    </>
  );
  if (kind !== 'changed') {
    return (
      <li className="flex items-center gap-2 px-3 py-2 text-[13px]">
        {title}
        <span className="ml-auto">{action}</span>
      </li>
    );
  }
  return (
    <li>
      <details className="group">
        <summary className="flex cursor-pointer items-center gap-2 px-3 py-2 text-[13px] hover:bg-hover">
          {title}
        </summary>
        <div className="px-3 pb-3">
          <DiffView before={before} after={after} />
          {action}
        </div>
      </details>
    </li>
  );
}

function Kind({ kind }: { readonly kind: keyof typeof kinds }) {
  const { text, Icon, look } = kinds[kind];
  return (
    <span className="inline-flex w-20 shrink-0 items-center gap-1.5">
      <Icon size={14} className={look} aria-hidden="true" />
      {text}
    </span>
  );
}
