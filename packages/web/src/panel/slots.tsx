import { useQuery } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { nodeTypesQuery } from '../api/node-types.ts';
import type { GraphNode } from '../state/graph.ts';
import { type HeldNode, type Slot, slotTitle, takesSeveral } from '../state/slots.ts';
import type { Perform } from '../state/use-draft.ts';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';

/** The port of a slot, as a connection to it begins. */
export interface SlotOfNode {
  readonly nodeId: string;
  readonly port: string;
  readonly kind: 'target';
}

interface SlotsProps {
  readonly nodeId: string;
  readonly slots: readonly Slot[];
  readonly perform: Perform;
  readonly onSelect: (nodeId: string) => void;
  readonly onAdd: (request: { readonly from: SlotOfNode }) => void;
}

/** What each slot of a node holds, and a button that fills it. */
export function Slots({ nodeId, slots, perform, onSelect, onAdd }: SlotsProps) {
  const { data: types } = useQuery(nodeTypesQuery);
  return (
    <section aria-label="Slots" className="flex flex-col gap-3 border-line border-t pt-4">
      {slots.map(({ name, isRequired, held }) => (
        <div key={name} className="flex flex-col gap-1">
          <h3 className="font-medium text-[13px] first-letter:uppercase">
            {slotTitle(name)}
            {held.length > 1 && <span className="ml-1.5 font-normal text-[12px] text-muted">{held.length}</span>}
          </h3>
          {held.length === 0 && (
            <p className={isRequired ? 'text-[12px] text-danger' : 'text-[12px] text-muted'}>
              {isRequired ? 'Empty, but required.' : 'Empty.'}
            </p>
          )}
          <ul className="flex flex-col">
            {held.map((one) => (
              <HeldRow
                key={one.edge.key ?? one.edge.id}
                held={one}
                type={types?.[one.node.component_type]?.label ?? one.node.component_type}
                slot={name}
                onSelect={() => onSelect(one.node.node_id)}
                onDisconnect={() => perform('Delete a connection', [{ op: 'delete_edge', edge_id: one.edge.id }])}
              />
            ))}
          </ul>
          {(held.length === 0 || takesSeveral(name)) && (
            <Button
              icon={<Plus size={14} aria-hidden="true" />}
              className="self-start"
              onClick={() => onAdd({ from: { nodeId, port: name, kind: 'target' } })}
            >
              Add {slotTitle(name).replace(/s$/, '')}
            </Button>
          )}
        </div>
      ))}
    </section>
  );
}

interface HeldRowProps {
  readonly held: HeldNode;
  readonly type: string;
  readonly slot: string;
  readonly onSelect: () => void;
  readonly onDisconnect: () => void;
}

function HeldRow({ held: { node }, type, slot, onSelect, onDisconnect }: HeldRowProps) {
  const name = node.label ?? node.node_id;
  return (
    <li className="flex min-h-8 items-center gap-2 text-[13px]">
      <button
        type="button"
        onClick={onSelect}
        className="min-w-0 flex-1 truncate rounded-control text-left hover:underline"
      >
        {name} <span className="text-[12px] text-muted">{detailOf(node, type)}</span>
      </button>
      <IconButton
        label={`Remove ${name} from ${slotTitle(slot)}`}
        icon={<X size={14} aria-hidden="true" />}
        onClick={onDisconnect}
      />
    </li>
  );
}

/** The type, and of a model its name. */
function detailOf({ config: { model_name: model } }: GraphNode, type: string): string {
  return typeof model === 'string' && model !== '' ? `${type} · ${model}` : type;
}
