interface Point {
  readonly x: number;
  readonly y: number;
}

/** How far the line runs beside the cards, and below them: a card is 64 px high, and its port is in the middle. */
const aside = 20;
const below = 56;
const radius = 8;

/** An SVG path that leaves to the right, runs below both points, and arrives from the left. */
export function returnPath(source: Point, target: Point): { readonly path: string; readonly label: Point } {
  const [right, left] = [source.x + aside, target.x - aside];
  const bottom = Math.max(source.y, target.y) + below;
  const path = [
    `M ${source.x} ${source.y}`,
    `L ${right - radius} ${source.y} Q ${right} ${source.y} ${right} ${source.y + radius}`,
    `L ${right} ${bottom - radius} Q ${right} ${bottom} ${right - radius} ${bottom}`,
    `L ${left + radius} ${bottom} Q ${left} ${bottom} ${left} ${bottom - radius}`,
    `L ${left} ${target.y + radius} Q ${left} ${target.y} ${left + radius} ${target.y}`,
    `L ${target.x} ${target.y}`,
  ].join(' ');
  return { path, label: { x: (right + left) / 2, y: bottom } };
}
