import type { NodeType } from '../../api/node-types.ts';
import type { Graph } from '../../state/graph.ts';
import type { Perform } from '../../state/use-draft.ts';
import type { NodeTypes } from '../flow.ts';
import { colourOf, iconOf } from '../node-look.tsx';
import { addOperations } from './quick-add.ts';

interface EmptyCanvasProps {
  readonly graph: Graph;
  readonly types: NodeTypes;
  readonly perform: Perform;
  readonly onAdded: (nodeId: string) => void;
}

/** A canvas without nodes: what starts a workflow, to choose from. */
export function EmptyCanvas({ graph, types, perform, onAdded }: EmptyCanvasProps) {
  const triggers = Object.values(types)
    .filter(({ category }) => category === 'Triggers')
    .toSorted((a, b) => a.label.localeCompare(b.label));
  const add = (type: NodeType): void => {
    const { nodeId, operations } = addOperations(type, { place: { x: 0, y: 0 } }, { graph, types });
    perform(`Add ${type.label}`, operations);
    onAdded(nodeId);
  };
  return (
    <section
      aria-label="Start with a trigger"
      className="pointer-events-none absolute inset-0 z-10 flex items-center justify-center p-4"
    >
      <div className="pointer-events-auto flex max-h-full max-w-xl flex-col gap-3 overflow-y-auto rounded-dialog border border-line bg-raised p-5 shadow-sm">
        <h2 className="font-semibold text-[16px]">Start with a trigger</h2>
        <p className="text-[13px] text-muted">
          A trigger decides when the workflow runs. Then drag from its output, or press A, to add the next node.
        </p>
        <ul className="grid gap-2 sm:grid-cols-2">
          {triggers.map((type) => (
            <li key={type.component_type}>
              <TriggerButton type={type} onPick={add} />
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}

function TriggerButton({ type, onPick }: { readonly type: NodeType; readonly onPick: (type: NodeType) => void }) {
  const Icon = iconOf(type.icon);
  return (
    <button
      type="button"
      onClick={() => onPick(type)}
      className="flex min-h-10 w-full items-center gap-3 rounded-control border border-line px-3 py-2 text-left text-[13px] hover:border-accent hover:bg-hover"
    >
      <span style={{ color: colourOf(type.category) }}>
        <Icon size={18} aria-hidden="true" />
      </span>
      {type.label}
    </button>
  );
}
