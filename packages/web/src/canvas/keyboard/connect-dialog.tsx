import { Autocomplete } from '@base-ui/react/autocomplete';
import { searchText } from '@millrace/core/search-text';
import { Plus } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import type { Graph } from '../../state/graph.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { inputClasses } from '../../ui/field.tsx';
import type { AddRequest } from '../add/quick-add.ts';
import {
  type ConnectionChoice,
  connectionsOf,
  type PortChoices,
  type RejectedNode,
} from '../connect/connection-choices.ts';
import type { NodeTypes } from '../flow.ts';

interface ConnectDialogProps {
  readonly graph: Graph;
  readonly types: NodeTypes;
  readonly nodeId: string;
  readonly onConnect: (choice: ConnectionChoice) => void;
  /** Adds a new node at a port. */
  readonly onAdd: (request: AddRequest) => void;
  readonly onClose: () => void;
}

interface Option {
  readonly id: string;
  readonly text: string;
  readonly isNew: boolean;
  readonly pick: () => void;
}

/** A list of many nodes shows the first of them; a person who needs a later one types its name. */
const maxShown = 60;

/** Connects a node without drawing: everything that its ports can be connected to, and why the rest cannot. */
export function ConnectDialog({ graph, types, nodeId, onConnect, onAdd, onClose }: ConnectDialogProps) {
  const [text, setText] = useState('');
  const { ports, rejected } = useMemo(() => connectionsOf(graph, types, nodeId), [graph, types, nodeId]);
  const label = graph.nodes.find((node) => node.node_id === nodeId)?.label ?? nodeId;
  const wanted = searchText(text.trim());
  const groups = ports
    .map((choices) => ({ value: choices.name, items: optionsOf(choices, onConnect, onAdd) }))
    .map(({ value, items }) => ({ value, items: items.filter((option) => matches(option, value, wanted)) }))
    .filter(({ items }) => items.length > 0);
  const input = useRef<HTMLInputElement>(null);
  return (
    <Dialog
      initialFocus={input}
      title={`Connect ${label}`}
      isOpen={true}
      onOpenChange={(isOpen) => !isOpen && onClose()}
    >
      <Autocomplete.Root
        inline
        open
        items={groups}
        filter={null}
        value={text}
        onValueChange={setText}
        autoHighlight="always"
      >
        <Autocomplete.Input
          ref={input}
          aria-label="Search what to connect to"
          className={inputClasses}
          placeholder="Search nodes and ports"
        />
        <Autocomplete.Empty className="py-3 text-[13px] text-muted empty:hidden">
          No node with this name can be connected.
        </Autocomplete.Empty>
        <Autocomplete.List className="mt-1 max-h-[45vh] shrink-0 overflow-y-auto empty:hidden">
          {(group: (typeof groups)[number]) => (
            <Autocomplete.Group key={group.value} items={group.items.slice(0, maxShown)} className="pb-1">
              <Autocomplete.GroupLabel className="px-2 pt-2 pb-1 font-medium text-[11px] text-muted">
                {group.value}
              </Autocomplete.GroupLabel>
              <Autocomplete.Collection>
                {(option: Option) => (
                  <Autocomplete.Item
                    key={option.id}
                    value={option}
                    onClick={option.pick}
                    className="flex min-h-9 cursor-default items-center gap-2 rounded-control px-2 text-[13px] data-highlighted:bg-accent-soft"
                  >
                    {option.isNew && <Plus size={14} className="text-muted" aria-hidden="true" />}
                    <span className="truncate">{option.text}</span>
                  </Autocomplete.Item>
                )}
              </Autocomplete.Collection>
            </Autocomplete.Group>
          )}
        </Autocomplete.List>
      </Autocomplete.Root>
      <WhyNot rejected={rejected.filter((node) => searchText(node.label).includes(wanted))} />
    </Dialog>
  );
}

function optionsOf(
  { port, choices }: PortChoices,
  onConnect: ConnectDialogProps['onConnect'],
  onAdd: ConnectDialogProps['onAdd'],
): readonly Option[] {
  const key = `${port.kind} ${port.port}`;
  return [
    ...choices.map((choice) => {
      return { id: `${key} ${choice.text}`, text: choice.text, isNew: false, pick: () => onConnect(choice) };
    }),
    { id: `${key} new`, text: 'A new node…', isNew: true, pick: () => onAdd({ from: port }) },
  ];
}

function matches({ text }: Option, group: string, wanted: string): boolean {
  const all = searchText(`${group} ${text}`);
  return wanted.split(/\s+/).every((word) => all.includes(word));
}

/** The nodes that cannot be connected, with the rule that prevents it. */
function WhyNot({ rejected }: { readonly rejected: readonly RejectedNode[] }) {
  if (rejected.length === 0) return null;
  return (
    <details className="mt-2 border-line border-t pt-2 text-[13px]">
      <summary className="cursor-pointer rounded-control px-2 py-1 text-muted hover:text-ink">
        Why not? {rejected.length === 1 ? '1 node does' : `${rejected.length} nodes do`} not fit.
      </summary>
      <ul className="flex flex-col gap-2 px-2 pt-1 pb-2">
        {rejected.slice(0, maxShown).map(({ nodeId, label, reason }) => (
          <li key={nodeId}>
            <span className="font-medium">{label}</span> <span className="text-muted">{reason}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
