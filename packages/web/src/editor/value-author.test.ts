import { expect, test } from 'vitest';
import { originOf } from './value-author.ts';

test('the version that made a value what it is is found among newer and older versions, with few looks', async () => {
  for (let count = 0; count <= 50; count += 1) {
    for (let wanted = -1; wanted < count; wanted += 1) {
      const looks: number[] = [];
      const found = await originOf(count, async (place) => {
        looks.push(place);
        return place <= wanted;
      });
      expect([count, wanted, found]).toEqual([count, wanted, wanted === -1 || wanted === count - 1 ? null : wanted]);
      expect(looks.length).toBeLessThanOrEqual(11);
      expect(new Set(looks).size).toBe(looks.length);
    }
  }
});
