import type { ReactFlowInstance } from '@xyflow/react';
import type { RefObject } from 'react';
import type { PaletteItem } from '../commands/command-registry.ts';
import { useCommands, usePaletteItems } from '../commands/use-commands.ts';
import type { Graph } from '../state/graph.ts';
import type { Perform } from '../state/use-draft.ts';
import { type AddRequest, isInsertable } from './add/quick-add.ts';
import { laidOut } from './arrange/laid-out.ts';
import { layoutOperations } from './arrange/layout-operations.ts';
import { useAlignment } from './arrange/use-alignment.ts';
import { fragmentOf, pasteOperations } from './clipboard/fragment.ts';
import { useClipboard } from './clipboard/use-clipboard.ts';
import type { CardNode, LineEdge } from './flow.ts';
import { deleteOperations } from './gestures.ts';
import type { CardFocus } from './keyboard/card-focus.ts';
import { groupOperations } from './notes/group.ts';
import { withMembers } from './notes/members.ts';
import type { useCards } from './use-shown.ts';
import { viewportOf } from './viewport.ts';

interface Options {
  readonly graph: Graph;
  readonly cards: ReturnType<typeof useCards>;
  readonly lines: readonly LineEdge[];
  readonly perform: Perform;
  readonly onAdd: (request: AddRequest) => void;
  readonly onSelect: (nodeId: string | null) => void;
  readonly onProblem: (message: string) => void;
  readonly flow: RefObject<ReactFlowInstance<CardNode, LineEdge> | null>;
  readonly focus: CardFocus;
  /** The cards that a command is about: the selected ones, or the one with the focus. */
  readonly targets: () => readonly CardNode[];
  /** The point of the graph below the pointer, or in the middle of the canvas. */
  readonly pointer: () => { x: number; y: number };
  /** The present size of the canvas, which panels change. */
  readonly size: () => { readonly width: number; readonly height: number };
}

/** How far a duplicate is from its original. */
const duplicateBy = 40;

/** The commands of the canvas and its clipboard. */
export function useCanvasCommands(options: Options) {
  const { graph, cards, lines, perform, onAdd, onSelect, onProblem, flow, pointer, size, focus, targets } = options;
  const selected = cards.shown.filter((card) => card.selected === true);
  const insert = (label: string, fragment: ReturnType<typeof fragmentOf>, place: { x: number; y: number }): void => {
    const added = pasteOperations(fragment, graph, place);
    cards.select(new Set(added.names), true);
    const [first] = added.names;
    if (first !== undefined) focus.request(first);
    perform(label, added.operations);
  };
  const duplicate = (): void => {
    const originals = targets();
    if (originals.length === 0) return;
    const left = Math.min(...originals.map(({ position }) => position.x));
    const top = Math.min(...originals.map(({ position }) => position.y));
    const place = { x: left + duplicateBy, y: top + duplicateBy };
    const chosen = new Set(originals.map(({ id }) => id));
    insert(`Duplicate ${counted(originals.length)}`, fragmentOf(graph, chosen), place);
  };
  const layOut = (scope: readonly CardNode[]): void => {
    laidOut(scope, cards.shown, lines).then(
      (places) => {
        const operations = layoutOperations(cards.shown, places, graph);
        if (operations.length > 0) perform(`Lay out ${counted(scope.length)}`, operations);
      },
      (error: Error) => onProblem(error.message),
    );
  };
  const group = (): void => {
    const added = groupOperations(withMembers(targets(), cards.shown), graph);
    if (added === null) return;
    perform(`Group ${counted(targets().length)}`, added.operations);
    onSelect(added.name);
    focus.request(added.name);
  };
  const toggle = (): void => {
    const chosen = targets();
    const isActive = !chosen.some(({ data }) => data.node.config.is_active !== false);
    const operations = chosen.map(({ id }) => {
      return { op: 'update_node' as const, node_id: id, changes: { config: { is_active: isActive } } };
    });
    if (operations.length > 0) perform(`${isActive ? 'Enable' : 'Disable'} ${counted(chosen.length)}`, operations);
  };
  const line = lines.find((each) => each.selected === true)?.data?.edge;
  useAlignment({ graph, selected, perform });
  const show = (shown: readonly CardNode[]): void => void flow.current?.setViewport(viewportOf(shown, size()));
  useClipboard({
    copied: () => {
      const originals = targets();
      return originals.length === 0 ? null : fragmentOf(graph, new Set(originals.map(({ id }) => id)));
    },
    cut: () => {
      const originals = targets();
      perform(`Cut ${counted(originals.length)}`, deleteOperations({ nodes: originals, edges: [] }).operations);
      onSelect(null);
    },
    paste: (fragment) => insert(`Paste ${counted(fragment.nodes.length)}`, fragment, pointer()),
    onProblem,
  });
  const scope = selected.length > 1 ? selected : cards.shown.filter(({ data }) => data.type?.category !== 'Canvas');
  const hasNodes = cards.shown.length > 0;
  const hasSelected = selected.length > 0;
  const fit = (): void => show(cards.shown);
  useCommands({
    'node.add': { run: () => onAdd({ place: pointer() }) },
    'node.duplicate': { run: duplicate, isEnabled: hasNodes },
    'node.toggle': { run: toggle, isEnabled: hasNodes },
    'connection.insert': {
      run: () => line !== undefined && onAdd({ edge: line }),
      isEnabled: line !== undefined && isInsertable(line),
    },
    'node.group': { run: group, isEnabled: hasNodes },
    'graph.layout': { run: () => layOut(scope), isEnabled: hasNodes },
    'graph.selectAll': { run: () => cards.select(new Set(cards.shown.map(({ id }) => id))), isEnabled: hasNodes },
    'view.fit': { run: fit, isEnabled: hasNodes },
    'view.fitSelection': { run: () => show(selected), isEnabled: hasSelected },
    'view.actualSize': { run: () => void flow.current?.zoomTo(1) },
    'view.zoomIn': { run: () => void flow.current?.zoomIn() },
    'view.zoomOut': { run: () => void flow.current?.zoomOut() },
  });
  const open = (card: CardNode): void => {
    onSelect(card.id);
    focus.request(card.id);
  };
  usePaletteItems('node', () => cards.shown.map((card) => nodeItem(card, () => open(card))));
  return { fit };
}

function nodeItem({ id, data }: CardNode, run: () => void): PaletteItem {
  const { node, type } = data;
  const detail = [node.label === null ? null : id, type?.label].filter(Boolean).join(', ');
  return { id: `node ${id}`, title: node.label ?? id, detail, run };
}

function counted(count: number): string {
  return count === 1 ? '1 node' : `${count} nodes`;
}
