import { useRef } from 'react';
import type { Graph } from '../../state/graph.ts';
import type { Perform } from '../../state/use-draft.ts';
import type { CardNode } from '../flow.ts';
import { moveOperations } from '../gestures.ts';
import type { useCards } from '../use-shown.ts';
import { resizeOperation } from './group.ts';
import { isNote, withMembers } from './members.ts';
import type { NoteArea } from './note.ts';

interface Options {
  readonly graph: Graph;
  readonly cards: Pick<ReturnType<typeof useCards>, 'shown' | 'change'>;
  readonly perform: Perform;
}

/** The cards that follow a dragged note, and where the dragged card began. */
interface Drag {
  readonly from: CardNode['position'];
  readonly followers: readonly CardNode[];
}

/** Dragging cards, with which those of a group move as well, and resizing notes. */
export function useDragging({ graph, cards, perform }: Options) {
  const drag = useRef<Drag | null>(null);
  const follow = (node: CardNode, dragging: boolean) => {
    if (drag.current === null) return [];
    const { from, followers } = drag.current;
    const [x, y] = [node.position.x - from.x, node.position.y - from.y];
    const places = followers.map(({ id, position }) => ({ id, position: { x: position.x + x, y: position.y + y } }));
    cards.change(places.map((place) => ({ ...place, type: 'position', dragging })));
    return places;
  };
  const start = (node: CardNode, dragged: readonly CardNode[]): void => {
    const names = new Set(dragged.map(({ id }) => id));
    const notes = cards.shown.filter((card) => names.has(card.id) && isNote(card));
    const followers = withMembers(notes, cards.shown).filter(({ id }) => !names.has(id));
    const from = cards.shown.find(({ id }) => id === node.id)?.position ?? node.position;
    drag.current = followers.length === 0 ? null : { from, followers };
  };
  const stop = (node: CardNode, dragged: readonly CardNode[]): void => {
    const { label, operations } = moveOperations([...dragged, ...follow(node, false)], graph);
    drag.current = null;
    if (operations.length > 0) perform(label, operations);
  };
  const resize = (noteId: string, area: NoteArea): void => {
    perform(`Resize ${noteId}`, [resizeOperation(noteId, area)]);
  };
  const handlers = {
    onNodeDragStart: (_event: unknown, node: CardNode, dragged: readonly CardNode[]) => start(node, dragged),
    onNodeDrag: (_event: unknown, node: CardNode) => void follow(node, true),
    onNodeDragStop: (_event: unknown, node: CardNode, dragged: readonly CardNode[]) => stop(node, dragged),
  };
  return { handlers, resize };
}
