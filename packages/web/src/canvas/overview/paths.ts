import type { CardNode, LineEdge } from '../flow.ts';

/** How far a line leaves and reaches its ports in their direction, as a part of the distance. */
const bend = 0.4;

/** The lines of a graph as one SVG path for each kind. A line without both ends is left out. */
export function overviewPaths(cards: readonly CardNode[], lines: readonly LineEdge[]): ReadonlyMap<string, string> {
  const known = new Map(cards.map((card) => [card.id, card]));
  const parts = new Map<string, string[]>();
  for (const { source, sourceHandle, target, targetHandle, className = '' } of lines) {
    const from = endOf(known.get(source), sourceHandle);
    const to = endOf(known.get(target), targetHandle);
    if (from === null || to === null) continue;
    const list = parts.get(className) ?? [];
    parts.set(className, list);
    const isUpright = from.side === 'top' || from.side === 'bottom';
    const reach = bend * Math.abs(isUpright ? to.y - from.y : to.x - from.x);
    const [first, second] = isUpright
      ? [`${from.x} ${from.y - reach}`, `${to.x} ${to.y + reach}`]
      : [`${from.x + reach} ${from.y}`, `${to.x - reach} ${to.y}`];
    list.push(`M${from.x} ${from.y}C${first} ${second} ${to.x} ${to.y}`);
  }
  return new Map([...parts].map(([kind, list]) => [kind, list.join('')]));
}

function endOf(card: CardNode | undefined, handle: string | null | undefined) {
  const port = card?.data.ports.find(({ id }) => id === handle);
  if (card === undefined || port === undefined) return null;
  return { x: card.position.x + port.x, y: card.position.y + port.y, side: port.side };
}
