import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CardNode } from './flow.ts';
import { viewShowing } from './viewport.ts';

const card = (x: number, y: number) => ({ position: { x, y }, width: 216, height: 64 }) as CardNode;
const size = { width: 1000, height: 700 };

it('does not move the view if the card is visible', () => {
  const view = { x: 0, y: 0, zoom: 1 };
  expect(viewShowing(card(300, 300), view, size)).toBe(view);
});

it('shows any card completely, at the same zoom', () => {
  const far = fc.integer({ min: -5000, max: 5000 });
  fc.assert(
    fc.property(far, far, far, far, fc.double({ min: 0.05, max: 2, noNaN: true }), (x, y, viewX, viewY, zoom) => {
      const view = viewShowing(card(x, y), { x: viewX, y: viewY, zoom }, size);
      const [left, top] = [view.x + x * zoom, view.y + y * zoom];
      expect(view.zoom).toBe(zoom);
      expect(Math.min(left, top)).toBeGreaterThanOrEqual(0);
      expect(left + 216 * zoom).toBeLessThanOrEqual(size.width);
      expect(top + 64 * zoom).toBeLessThanOrEqual(size.height);
    }),
  );
});
