import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aligned, distributed } from './align.ts';

const card = (id: string, x: number, y: number, [width, height] = [200, 64]) => ({
  id,
  position: { x, y },
  width,
  height,
});
const cards = [card('a', 0, 100), card('b', 300, 0, [240, 100]), card('c', 900, 500)];

describe('aligned cards', () => {
  test.each([
    ['left', [0, 0, 0], [100, 0, 500]],
    ['right', [900, 860, 900], [100, 0, 500]],
    ['centre', [450, 430, 450], [100, 0, 500]],
    ['top', [0, 300, 900], [0, 0, 0]],
    ['bottom', [0, 300, 900], [500, 464, 500]],
    ['middle', [0, 300, 900], [250, 232, 250]],
  ] as const)('%s: have this line in common, and keep their other place', (alignment, x, y) => {
    const places = aligned(cards, alignment).map(({ position }) => position);
    expect([places.map((place) => place.x), places.map((place) => place.y)]).toEqual([x, y]);
  });
});

describe('distributed cards', () => {
  test('have equal gaps between the first and the last one, which stay', () => {
    const at = fc.integer({ min: -5_000, max: 5_000 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(at, fc.integer({ min: 50, max: 400 })), { minLength: 3, maxLength: 12 }),
        (given) => {
          const row = given.map(([x, width], index) => card(String(index), x, 0, [width, 64]));
          const spread = distributed(row, 'x').map(({ id, position }) => {
            return { x: position.x, width: row.find((one) => one.id === id)?.width ?? 0 };
          });
          const gaps = spread.slice(1).map(({ x }, index) => x - (spread[index]?.x ?? 0) - (spread[index]?.width ?? 0));
          // Places are whole pixels.
          expect(Math.max(...gaps) - Math.min(...gaps)).toBeLessThanOrEqual(2);
          const inOrder = row.toSorted((a, b) => a.position.x - b.position.x);
          expect([spread[0]?.x, spread.at(-1)?.x]).toEqual([inOrder[0]?.position.x, inOrder.at(-1)?.position.x]);
        },
      ),
    );
  });

  test('need three', () => {
    expect(distributed(cards.slice(0, 2), 'y')).toEqual([]);
  });
});
