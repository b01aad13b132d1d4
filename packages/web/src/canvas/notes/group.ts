import type { Operation } from '../../api/graph.ts';
import type { Graph } from '../../state/graph.ts';
import { nextName } from '../../state/new-node.ts';
import { areaAround, isNote, membersOf, type PlacedCard } from './members.ts';
import { type NoteArea, noteType } from './note.ts';

/** Pixels between the cards of a group and the edges of its note; above them is the text of the note. */
const padding = 24;
const textHeight = 40;

/** The area of a note that groups cards; null without cards. */
export function noteAreaFor(cards: readonly PlacedCard[]): NoteArea | null {
  const area = areaAround(cards);
  if (area === null) return null;
  return {
    x: area.left - padding,
    y: area.top - padding - textHeight,
    width: area.right - area.left + 2 * padding,
    height: area.bottom - area.top + 2 * padding + textHeight,
  };
}

/** Adds a note behind cards; null without cards. */
export function groupOperations(cards: readonly PlacedCard[], { nodes }: Graph) {
  const area = noteAreaFor(cards);
  if (area === null) return null;
  const name = nextName('group', new Set(nodes.map(({ node_id: taken }) => taken)));
  const node = {
    node_id: name,
    component_type: noteType,
    position_x: Math.round(area.x),
    position_y: Math.round(area.y),
    config: { extra_config: { text: '**Group**', ...sizeOf(area) } },
  };
  const operation: Operation = { op: 'create_node', node };
  return { name, operations: [operation] };
}

/** Gives a note another place and size. */
export function resizeOperation(noteId: string, area: NoteArea): Operation {
  const place = { position_x: Math.round(area.x), position_y: Math.round(area.y) };
  return { op: 'update_node', node_id: noteId, changes: { ...place, config: { extra_config: sizeOf(area) } } };
}

function sizeOf({ width, height }: NoteArea) {
  return { width: Math.round(width), height: Math.round(height) };
}

/** The groups of cards: by the note's name, the names of its members that are no notes. */
export function groupsOf(cards: readonly PlacedCard[]): ReadonlyMap<string, readonly string[]> {
  const groups = cards.filter(isNote).map((note) => {
    const members = membersOf(note, cards).filter((card) => !isNote(card));
    return [note.id, members.map(({ id }) => id)] as const;
  });
  return new Map(groups.filter(([, members]) => members.length > 0));
}
