import { useState } from 'react';
import { useCommands } from '../../commands/use-commands.ts';
import type { Graph } from '../../state/graph.ts';
import type { Perform } from '../../state/use-draft.ts';
import { focusWhenThere } from '../../ui/assistive/focus-when-there.ts';
import type { CardNode, LineEdge } from '../flow.ts';
import { deleteOperations, moveOperations } from '../gestures.ts';
import { withMembers } from '../notes/members.ts';
import type { useCards, useLines } from '../use-shown.ts';
import type { CardFocus } from './card-focus.ts';
import { afterDeletion, type Direction, graphOrder, neighbour } from './navigation.ts';

interface Options {
  readonly graph: Graph;
  readonly cards: ReturnType<typeof useCards>;
  readonly lines: ReturnType<typeof useLines>;
  readonly focus: CardFocus;
  readonly perform: Perform;
  readonly selected: string | null;
  readonly onSelect: (nodeId: string | null) => void;
}

/** A dialog about a node. */
export interface NodeDialog {
  readonly kind: 'connect' | 'disconnect' | 'rename';
  readonly nodeId: string;
}

/** What an arrow key moves a card by, in pixels, and with Shift. */
const near = 8;
const far = 64;

/** The panel with the settings of the selected node. */
const settings = '[data-inspector] [role="tab"][aria-selected="true"]';

/** The commands for one node, or the selected ones, and for the focus: the canvas without a mouse. */
export function useNodeCommands(options: Options) {
  const { graph, cards, lines, focus, perform, selected, onSelect } = options;
  const [dialog, setDialog] = useState<NodeDialog | null>(null);
  const chosen = cards.shown.filter((card) => card.selected === true);
  const chosenLines = lines.shown.filter((line) => line.selected === true);
  /** The card with the focus, or the only selected one. */
  const current = (): string | null => focus.active ?? (chosen.length === 1 ? (chosen[0]?.id ?? null) : null);
  /** The selected cards, unless the focus is on another one. */
  const targets = (): readonly CardNode[] => {
    const { active } = focus;
    if (active === null || chosen.some(({ id }) => id === active)) return chosen;
    return cards.shown.filter(({ id }) => id === active);
  };
  const go = (nodeId: string | null | undefined): void => {
    if (nodeId != null) focus.request(nodeId);
  };
  // Read when the key is pressed: the focus moves without drawing the canvas again.
  const step = (direction: Direction) => (): void => {
    const from = focus.current;
    go(from === null ? graphOrder(graph)[0] : neighbour(graph, from, direction));
  };
  const beside = (by: 1 | -1) => (): void => {
    const order = graphOrder(graph);
    const index = order.indexOf(focus.current ?? '');
    go(order[index === -1 ? 0 : index + by]);
  };
  const move = (x: number, y: number) => ({
    run: (): void => {
      // The cards follow the graph a moment later: a repeated key would count once.
      const places = new Map(graph.nodes.map((one) => [one.node_id, { x: one.position_x, y: one.position_y }]));
      const moved = withMembers(targets(), cards.shown).map(({ id, position }) => {
        const place = places.get(id) ?? position;
        return { id, position: { x: place.x + x, y: place.y + y } };
      });
      const { label, operations } = moveOperations(moved, graph);
      if (operations.length > 0) perform(label, operations, `move ${moved.map(({ id }) => id).join(' ')}`);
    },
  });
  const remove = (): void => {
    const nodes = targets();
    const edges = nodes.length > 0 && focus.active !== null && chosen.length === 0 ? [] : chosenLines;
    if (nodes.length === 0 && edges.length === 0) return;
    const deleted = new Set(nodes.map(({ id }) => id));
    const next = nodes[0] === undefined ? null : afterDeletion(graph, focus.active ?? nodes[0].id, deleted);
    const { label, operations } = deleteOperations({ nodes, edges: [...edges] });
    perform(label, operations);
    onSelect(null);
    if (next !== null) focus.request(next);
    else focusWhenThere('[data-canvas]');
  };
  const open = (): void => {
    const line = focusedLine(lines.shown);
    const nodeId = current();
    if (line !== null) lines.change([{ type: 'select', id: line.id, selected: true }]);
    else if (nodeId !== null) {
      onSelect(nodeId);
      focusWhenThere(settings);
    }
  };
  const show = (kind: NodeDialog['kind']) => (): void => {
    const nodeId = current();
    if (nodeId !== null) setDialog({ kind, nodeId });
  };
  useCommands({
    'focus.downstream': { run: step('downstream') },
    'focus.upstream': { run: step('upstream') },
    'focus.previousSibling': { run: step('previousSibling') },
    'focus.nextSibling': { run: step('nextSibling') },
    'focus.first': { run: () => go(graphOrder(graph)[0]) },
    'focus.last': { run: () => go(graphOrder(graph).at(-1)) },
    'focus.next': { run: beside(1) },
    'focus.previous': { run: beside(-1) },
    'focus.leave': {
      run: () => {
        cards.select(new Set());
        onSelect(null);
      },
      isEnabled: selected !== null || chosen.length > 0,
    },
    'move.left': move(-near, 0),
    'move.right': move(near, 0),
    'move.up': move(0, -near),
    'move.down': move(0, near),
    'move.farLeft': move(-far, 0),
    'move.farRight': move(far, 0),
    'move.farUp': move(0, -far),
    'move.farDown': move(0, far),
    'node.open': { run: open },
    'node.rename': { run: show('rename') },
    'node.connect': { run: show('connect') },
    'node.disconnect': { run: show('disconnect') },
    'node.delete': { run: remove },
  });
  return { dialog, close: () => setDialog(null), targets };
}

/** The line that has the focus. */
function focusedLine(lines: readonly LineEdge[]): LineEdge | null {
  const id = document.activeElement?.closest('.react-flow__edge')?.getAttribute('data-id');
  return lines.find((line) => line.id === id) ?? null;
}
