import type { Operation } from '../../api/graph.ts';
import type { Graph } from '../../state/graph.ts';
import type { CardNode } from '../flow.ts';
import { moveOperations } from '../gestures.ts';
import { groupsOf, noteAreaFor, resizeOperation } from '../notes/group.ts';

type Place = CardNode['position'];

/** Moves cards to the places of a layout, and gives the notes of their groups the size that surrounds them. */
export function layoutOperations(
  cards: readonly CardNode[],
  places: ReadonlyMap<string, Place>,
  graph: Graph,
): readonly Operation[] {
  const placed = new Map(cards.map((card) => [card.id, { ...card, position: places.get(card.id) ?? card.position }]));
  const moves = moveOperations(
    [...placed.values()].filter(({ id }) => places.has(id)),
    graph,
  );
  const notes = [...groupsOf(cards)].flatMap(([note, members]) => {
    if (!members.some((id) => places.has(id))) return [];
    const area = noteAreaFor(members.flatMap((id) => placed.get(id) ?? []));
    return area === null ? [] : [resizeOperation(note, area)];
  });
  return [...moves.operations, ...notes];
}
