import { Menu } from '@base-ui/react/menu';
import { Cable, EllipsisVertical, ListTree, Plus, Settings2, Trash2, Unplug } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useMemo, useRef, useState } from 'react';
import type { NodeType } from '../api/node-types.ts';
import { NodePicker } from '../canvas/add/node-picker.tsx';
import type { AddRequest } from '../canvas/add/quick-add.ts';
import { connectionEdge } from '../canvas/connect/connection.ts';
import type { NodeTypes } from '../canvas/flow.ts';
import { ConnectDialog } from '../canvas/keyboard/connect-dialog.tsx';
import { colourOf, iconOf } from '../canvas/node-look.tsx';
import { useCommands } from '../commands/use-commands.ts';
import type { Graph, GraphEdge, GraphNode } from '../state/graph.ts';
import { newNode } from '../state/new-node.ts';
import type { Perform } from '../state/use-draft.ts';
import { focusWhenThere } from '../ui/assistive/focus-when-there.ts';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { menuItemClasses, menuPopupClasses } from '../ui/menu.ts';
import { type OutlineRow, outlineOf, viaOf } from './outline-tree.ts';

interface OutlinePaneProps {
  readonly graph: Graph;
  readonly types: NodeTypes;
  readonly perform: Perform;
  readonly selected: string | null;
  readonly onSelect: (nodeId: string | null) => void;
  /** Opens the list of node types that fit a port. */
  readonly onAdd: (request: AddRequest) => void;
}

/** The graph as a tree that can do everything the canvas can: for keyboards, screen readers and phones. */
export function OutlinePane({ graph, types, perform, selected, onSelect, onAdd }: OutlinePaneProps) {
  const rows = useMemo(() => outlineOf(graph), [graph]);
  const [focused, setFocused] = useState<string | null>(null);
  const [adding, setAdding] = useState<GraphNode | 'first' | null>(null);
  const [connecting, setConnecting] = useState<GraphNode | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const current = rows.find(({ node }) => node.node_id === (focused ?? selected)) ?? rows[0];
  const focus = (row: OutlineRow | undefined): void => {
    if (row === undefined) return;
    setFocused(row.node.node_id);
    const { CSS } = globalThis;
    list.current?.querySelector<HTMLElement>(`[data-node="${CSS.escape(row.node.node_id)}"]`)?.focus();
  };
  const remove = (row: OutlineRow): void => {
    const index = rows.indexOf(row);
    focus(rows[index + 1] ?? rows[index - 1]);
    perform(`Delete ${row.node.label ?? row.node.node_id}`, [{ op: 'delete_node', node_id: row.node.node_id }]);
    onSelect(null);
  };
  const add = (type: NodeType): void => {
    const node = newNode(type, graph.nodes);
    const before = adding === 'first' ? null : adding;
    const edge = { source_node_id: before?.node_id ?? '', target_node_id: node.node_id };
    perform(`Add ${type.label}`, [
      { op: 'create_node', node },
      ...(before === null ? [] : [{ op: 'create_edge' as const, edge }]),
    ]);
    setAdding(null);
    onSelect(node.node_id);
    focusWhenThere(`[data-node="${node.node_id}"]`);
  };
  // For the settings of the selected node, which are beside the outline.
  useCommands({
    'node.connect': {
      run: () => setConnecting(rows.find(({ node }) => node.node_id === selected)?.node ?? null),
      isEnabled: selected !== null,
    },
  });
  const press = (event: KeyboardEvent, row: OutlineRow): void => {
    const action = keyActions({ rows, row, focus, remove, onSelect, onAdd: setAdding, onConnect: setConnecting })[
      event.key
    ];
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };
  return (
    <section aria-label="Outline" className="flex h-full min-w-0 flex-col overflow-y-auto bg-sunken p-3">
      {rows.length === 0 ? (
        <EmptyState
          icon={<ListTree size={22} aria-hidden="true" />}
          title="No nodes yet"
          action={<Button onClick={() => setAdding('first')}>Add a node</Button>}
        >
          A workflow begins with a trigger.
        </EmptyState>
      ) : (
        <div
          ref={list}
          role="treegrid"
          aria-label="Nodes in the order in which they run"
          className="flex flex-col gap-1"
        >
          {rows.map((row) => (
            <Row
              key={row.node.id}
              row={row}
              type={types[row.node.component_type]}
              graph={graph}
              isSelected={row.node.node_id === selected}
              isFocusable={row === current}
              onFocus={() => setFocused(row.node.node_id)}
              onSelect={() => onSelect(row.node.node_id)}
              onKey={(event) => press(event, row)}
              onAdd={() => setAdding(row.node)}
              onConnect={() => setConnecting(row.node)}
              onRemove={() => remove(row)}
              onDisconnect={(edge) => perform('Disconnect', [{ op: 'delete_edge', edge_id: edge.id }])}
            />
          ))}
        </div>
      )}
      <NodePicker
        types={types}
        isOpen={adding !== null}
        onOpenChange={(isOpen) => !isOpen && setAdding(null)}
        onPick={add}
      />
      {connecting !== null && (
        <Connect {...{ graph, types, perform, onAdd }} node={connecting} onClose={() => setConnecting(null)} />
      )}
    </section>
  );
}

interface ConnectProps extends Pick<OutlinePaneProps, 'graph' | 'types' | 'perform' | 'onAdd'> {
  readonly node: GraphNode;
  readonly onClose: () => void;
}

function Connect({ graph, types, perform, onAdd, node, onClose }: ConnectProps) {
  return (
    <ConnectDialog
      {...{ graph, types, onClose }}
      nodeId={node.node_id}
      onAdd={(request) => {
        onClose();
        onAdd(request);
      }}
      onConnect={({ connection }) => {
        const edge = connectionEdge(connection);
        perform(`Connect ${edge.source_node_id} to ${edge.target_node_id}`, [{ op: 'create_edge', edge }]);
        onClose();
      }}
    />
  );
}

interface KeyContext {
  readonly rows: readonly OutlineRow[];
  readonly row: OutlineRow;
  readonly focus: (row: OutlineRow | undefined) => void;
  readonly remove: (row: OutlineRow) => void;
  readonly onSelect: (nodeId: string) => void;
  readonly onAdd: (node: GraphNode) => void;
  readonly onConnect: (node: GraphNode) => void;
}

/** What each key does in a row. */
function keyActions(context: KeyContext): Readonly<Record<string, () => void>> {
  const { rows, row, focus, remove, onSelect, onAdd, onConnect } = context;
  const index = rows.indexOf(row);
  const { node, parent } = row;
  return {
    ArrowDown: () => focus(rows[index + 1]),
    ArrowUp: () => focus(rows[index - 1]),
    ArrowLeft: () => focus(rows.find((other) => other.node.node_id === parent)),
    ArrowRight: () => focus(rows.find((other) => other.parent === node.node_id)),
    Home: () => focus(rows[0]),
    End: () => focus(rows.at(-1)),
    Enter: () => onSelect(node.node_id),
    Delete: () => remove(row),
    a: () => onAdd(node),
    c: () => onConnect(node),
  };
}

interface RowProps {
  readonly row: OutlineRow;
  readonly type: NodeType | undefined;
  readonly graph: Graph;
  readonly isSelected: boolean;
  readonly isFocusable: boolean;
  readonly onFocus: () => void;
  readonly onSelect: () => void;
  readonly onKey: (event: KeyboardEvent) => void;
  readonly onAdd: () => void;
  readonly onConnect: () => void;
  readonly onRemove: () => void;
  readonly onDisconnect: (edge: GraphEdge) => void;
}

const indents = ['ml-0', 'ml-6', 'ml-12', 'ml-18', 'ml-24'];

function Row(props: RowProps) {
  const { row, type, graph, isSelected, isFocusable, onFocus, onSelect, onKey } = props;
  const { node, level, via, jumps } = row;
  const Icon = iconOf(type?.icon ?? '');
  const names = new Map(graph.nodes.map((one) => [one.node_id, one.label ?? one.node_id]));
  const to = jumps.map((edge) => names.get(edge.target_node_id) ?? edge.target_node_id);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table row cannot be a level of a tree.
    <div
      role="row"
      aria-level={level}
      aria-selected={isSelected}
      tabIndex={isFocusable ? 0 : -1}
      data-node={node.node_id}
      onFocus={onFocus}
      onKeyDown={onKey}
      onClick={onSelect}
      className={classes(
        'flex min-h-12 items-center gap-3 rounded-card border bg-surface py-1.5 pr-1 pl-3 hover:bg-hover',
        indents[Math.min(level - 1, indents.length - 1)],
        isSelected ? 'border-accent' : 'border-line',
      )}
    >
      {/* biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: the row has the focus. */}
      <span role="gridcell" className="flex min-w-0 flex-1 items-center gap-3">
        <Icon size={18} aria-hidden="true" className="shrink-0" style={{ color: colourOf(type?.category ?? '') }} />
        <span className="min-w-0">
          <span className="block truncate font-medium text-[14px]">{node.label ?? node.node_id}</span>
          <span className="block truncate text-[12px] text-muted">
            {via !== null && <strong className="font-medium text-ink">{via} · </strong>}
            {type?.label ?? node.component_type}
            {to.length > 0 && ` · then ${to.join(', ')}`}
          </span>
        </span>
      </span>
      <RowMenu {...props} names={names} />
    </div>
  );
}

function RowMenu(props: RowProps & { readonly names: ReadonlyMap<string, string> }) {
  const { row, graph, names, onSelect, onAdd, onConnect, onRemove, onDisconnect } = props;
  const { node } = row;
  const outgoing = graph.edges.filter((edge) => edge.source_node_id === node.node_id);
  return (
    // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: its button has the focus.
    <span role="gridcell">
      <Menu.Root>
        <Menu.Trigger
          aria-label={`Actions of ${node.label ?? node.node_id}`}
          onClick={(event) => event.stopPropagation()}
          onKeyDown={(event) => event.stopPropagation()}
          className="flex size-9 items-center justify-center rounded-control text-muted hover:bg-hover hover:text-ink"
        >
          <EllipsisVertical size={16} aria-hidden="true" />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner sideOffset={4} align="end" className="z-30">
            <Menu.Popup className={menuPopupClasses}>
              <Action icon={<Settings2 size={14} aria-hidden="true" />} text="Settings" onPick={onSelect} />
              <Action icon={<Plus size={14} aria-hidden="true" />} text="Add a node after it…" onPick={onAdd} />
              <Action icon={<Cable size={14} aria-hidden="true" />} text="Connect to…" onPick={onConnect} />
              {outgoing.map((edge) => (
                <Action
                  key={edge.key ?? edge.id}
                  icon={<Unplug size={14} aria-hidden="true" />}
                  text={`Disconnect from ${[viaOf(edge), names.get(edge.target_node_id)].filter(Boolean).join(': ')}`}
                  onPick={() => onDisconnect(edge)}
                />
              ))}
              <Menu.Separator className="my-1 h-px bg-line" />
              <Action icon={<Trash2 size={14} aria-hidden="true" />} text="Delete" onPick={onRemove} />
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
    </span>
  );
}

function Action({
  icon,
  text,
  onPick,
}: {
  readonly icon: ReactNode;
  readonly text: string;
  readonly onPick: () => void;
}) {
  return (
    <Menu.Item
      className={menuItemClasses}
      onClick={(event) => {
        event.stopPropagation();
        onPick();
      }}
    >
      {icon}
      {text}
    </Menu.Item>
  );
}
