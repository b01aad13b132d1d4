/** A card with its place on the canvas, in pixels. */
interface PlacedCard {
  readonly id: string;
  readonly position: { readonly x: number; readonly y: number };
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** The frame of a loop: the loop's id, and its area on the canvas. */
export interface Frame {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Pixels between the cards and their frame; above them is the name of the loop. */
const padding = 20;
const nameHeight = 12;
/** The frame of a loop is so much larger than that of each loop inside it. */
const nesting = 14;

/** The frames of loops whose bodies have cards, the outer ones first. */
export function framesOf(
  bodies: ReadonlyMap<string, ReadonlySet<string>>,
  cards: readonly PlacedCard[],
): readonly Frame[] {
  if (bodies.size === 0) return [];
  const byId = new Map(cards.map((card) => [card.id, card]));
  const frames = [...bodies].flatMap(([id, body]): Frame[] => {
    const inside = [...body].flatMap((name) => byId.get(name) ?? []);
    if (inside.length === 0) return [];
    const room = padding + nesting * depthOf(body, bodies);
    const left = Math.min(...inside.map(({ position }) => position.x)) - room;
    const top = Math.min(...inside.map(({ position }) => position.y)) - room - nameHeight;
    const right = Math.max(...inside.map(({ position, width = 0 }) => position.x + width)) + room;
    const bottom = Math.max(...inside.map(({ position, height = 0 }) => position.y + height)) + room;
    return [{ id, x: left, y: top, width: right - left, height: bottom - top }];
  });
  return frames.toSorted((one, other) => other.width * other.height - one.width * one.height);
}

/** How many loops are inside one another in a body. */
function depthOf(body: ReadonlySet<string>, bodies: ReadonlyMap<string, ReadonlySet<string>>): number {
  return [...bodies].filter(([loop]) => body.has(loop)).length;
}
