import { expect, test } from 'vitest';
import { framesOf } from './frame.ts';

const card = (id: string, x: number, y: number) => ({ id, position: { x, y }, width: 200, height: 64 });

test('a frame surrounds the cards of a body, with room for the name of the loop', () => {
  const [frame] = framesOf(new Map([['each', new Set(['a', 'b'])]]), [card('a', 100, 100), card('b', 400, 200)]);
  expect(frame).toEqual({ id: 'each', x: 80, y: 68, width: 540, height: 216 });
});

test('the frame of an outer loop contains that of the inner one, and is drawn before it', () => {
  const bodies = new Map([
    ['inner', new Set(['work'])],
    ['outer', new Set(['inner', 'work'])],
  ]);
  const [outer, inner] = framesOf(bodies, [card('inner', 0, 0), card('work', 300, 0)]);
  expect([outer?.id, inner?.id]).toEqual(['outer', 'inner']);
  expect((outer?.x ?? 0) + (outer?.width ?? 0)).toBeGreaterThan((inner?.x ?? 0) + (inner?.width ?? 0));
});

test('a loop without cards in its body has no frame', () => {
  expect(framesOf(new Map([['each', new Set(['gone'])]]), [card('a', 0, 0)])).toEqual([]);
});
