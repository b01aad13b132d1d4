/** A card with its place on the canvas, in pixels. */
interface PlacedCard {
  readonly id: string;
  readonly position: { readonly x: number; readonly y: number };
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

export type Alignment = 'left' | 'centre' | 'right' | 'top' | 'middle' | 'bottom';
export type Axis = 'x' | 'y';

/** A card that has moved. */
interface Moved {
  readonly id: string;
  readonly position: { readonly x: number; readonly y: number };
}

const lengths = { x: 'width', y: 'height' } as const;
/** The axis of an alignment, and the part of a card that is aligned: 0 is its beginning and 1 its end. */
const alignments: Readonly<Record<Alignment, readonly [axis: Axis, part: number]>> = {
  left: ['x', 0],
  centre: ['x', 0.5],
  right: ['x', 1],
  top: ['y', 0],
  middle: ['y', 0.5],
  bottom: ['y', 1],
};

/** Cards along one edge, or through one centre, of the area that they take together. */
export function aligned(cards: readonly PlacedCard[], alignment: Alignment): readonly Moved[] {
  const [axis, part] = alignments[alignment];
  const begin = Math.min(...cards.map((card) => card.position[axis]));
  const end = Math.max(...cards.map((card) => card.position[axis] + lengthOf(card, axis)));
  const line = begin + (end - begin) * part;
  return cards.map((card) => placed(card, axis, line - lengthOf(card, axis) * part));
}

/** Cards with equal gaps between them. The first and the last one stay where they are. */
export function distributed(cards: readonly PlacedCard[], axis: Axis): readonly Moved[] {
  const inOrder = cards.toSorted((one, other) => one.position[axis] - other.position[axis]);
  const [first, last] = [inOrder[0], inOrder.at(-1)];
  if (first === undefined || last === undefined || inOrder.length < 3) return [];
  const taken = inOrder.reduce((sum, card) => sum + lengthOf(card, axis), 0);
  const gap = (last.position[axis] + lengthOf(last, axis) - first.position[axis] - taken) / (inOrder.length - 1);
  let next = first.position[axis];
  return inOrder.map((card) => {
    const at = card === last ? last.position[axis] : next;
    next += lengthOf(card, axis) + gap;
    return placed(card, axis, at);
  });
}

function lengthOf(card: PlacedCard, axis: Axis): number {
  return card[lengths[axis]] ?? 0;
}

function placed({ id, position }: PlacedCard, axis: Axis, at: number): Moved {
  return { id, position: { ...position, [axis]: Math.round(at) } };
}
