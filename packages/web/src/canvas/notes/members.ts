import type { CardNode } from '../flow.ts';

/** A card with its place and its size, in pixels of the canvas. */
export type PlacedCard = Pick<CardNode, 'id' | 'type' | 'position' | 'width' | 'height'>;

interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/**
 * The cards of a note's group: those whose middle is on the note. A note belongs to it only as a whole, so that two notes
 * that overlap are not members of each other.
 */
export function membersOf<Card extends PlacedCard>(note: PlacedCard, cards: readonly Card[]): readonly Card[] {
  const area = areaOf(note);
  return cards.filter((card) => card.id !== note.id && isInside(card, area));
}

/** Cards, and those of the groups among them. */
export function withMembers<Card extends PlacedCard>(chosen: readonly Card[], cards: readonly Card[]): readonly Card[] {
  const notes = chosen.filter(isNote);
  if (notes.length === 0) return chosen;
  const names = new Set([...chosen, ...notes.flatMap((note) => membersOf(note, cards))].map(({ id }) => id));
  return cards.filter(({ id }) => names.has(id));
}

export function isNote({ type }: Pick<PlacedCard, 'type'>): boolean {
  return type === 'note';
}

/** The area that cards take together; null without cards. */
export function areaAround(cards: readonly PlacedCard[]): Area | null {
  if (cards.length === 0) return null;
  const areas = cards.map(areaOf);
  return {
    left: Math.min(...areas.map(({ left }) => left)),
    top: Math.min(...areas.map(({ top }) => top)),
    right: Math.max(...areas.map(({ right }) => right)),
    bottom: Math.max(...areas.map(({ bottom }) => bottom)),
  };
}

function areaOf({ position: { x, y }, width = 0, height = 0 }: PlacedCard): Area {
  return { left: x, top: y, right: x + width, bottom: y + height };
}

function isInside(card: PlacedCard, area: Area): boolean {
  const { left, top, right, bottom } = areaOf(card);
  const within = (x: number, y: number): boolean =>
    x >= area.left && x <= area.right && y >= area.top && y <= area.bottom;
  return isNote(card) ? within(left, top) && within(right, bottom) : within((left + right) / 2, (top + bottom) / 2);
}
