import fc from 'fast-check';
import { expect, it } from 'vitest';
import { layoutOf, type PlacedCard, type PlacedLine } from './layout.ts';

const card = (id: string): PlacedCard => ({ id, x: 0, y: 0, width: 216, height: 64 });

it('places the flow from left to right, and what fills slots below its owner', () => {
  const places = layoutOf({
    cards: ['start', 'agent', 'end', 'model', 'tool'].map(card),
    lines: [
      { source: 'start', target: 'agent', kind: 'flow' },
      { source: 'agent', target: 'end', kind: 'flow' },
      { source: 'model', target: 'agent', kind: 'slot' },
      { source: 'tool', target: 'agent', kind: 'slot' },
      { source: 'end', target: 'start', kind: 'return' },
    ],
  });
  const at = (id: string) => places.get(id) ?? { x: Number.NaN, y: Number.NaN };
  expect(at('start').x + 216).toBeLessThan(at('agent').x);
  expect(at('agent').x + 216).toBeLessThan(at('end').x);
  expect(at('model').y).toBeGreaterThan(at('agent').y + 64);
  expect(at('tool').y).toBe(at('model').y);
  expect(Math.min(...[...places.values()].map(({ x }) => x))).toBe(0);
});

const line = fc.record({
  source: fc.integer({ min: 0, max: 11 }).map(String),
  target: fc.integer({ min: 0, max: 11 }).map(String),
  kind: fc.constantFrom<PlacedLine['kind']>('flow', 'flow', 'slot', 'return'),
});

it('places every card of any graph, on the grid and on no other card', () => {
  const cards = Array.from({ length: 12 }, (_, index) => card(String(index)));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 24 }), (lines) => {
      const places = [...layoutOf({ cards, lines: lines.filter(({ source, target }) => source !== target) })];
      expect(places).toHaveLength(cards.length);
      for (const [index, [, one]] of places.entries()) {
        expect([one.x % 8, one.y % 8].map(Math.abs)).toEqual([0, 0]);
        const others = places.slice(index + 1);
        expect(others.some(([, { x, y }]) => Math.abs(x - one.x) < 216 && Math.abs(y - one.y) < 64)).toBe(false);
      }
    }),
    { numRuns: 40 },
  );
});

it('keeps the cards of a group together, with no other card between them', () => {
  const cards = Array.from({ length: 12 }, (_, index) => card(String(index)));
  const groups = [
    ['0', '5', '7'],
    ['2', '3', '11'],
  ];
  fc.assert(
    fc.property(fc.array(line, { maxLength: 24 }), (lines) => {
      const flow = lines.filter(({ source, target, kind }) => source !== target && kind === 'flow');
      const places = layoutOf({ cards, lines: flow, groups });
      for (const members of groups) {
        const at = members.map((id) => places.get(id) ?? { x: Number.NaN, y: Number.NaN });
        const [xs, ys] = [at.map(({ x }) => x), at.map(({ y }) => y)];
        const others = [...places].filter(([id]) => !members.includes(id));
        const between = others.filter(
          ([, { x, y }]) =>
            x + 216 > Math.min(...xs) &&
            x < Math.max(...xs) + 216 &&
            y + 64 > Math.min(...ys) &&
            y < Math.max(...ys) + 64,
        );
        expect(between).toEqual([]);
      }
    }),
    { numRuns: 200 },
  );
});
