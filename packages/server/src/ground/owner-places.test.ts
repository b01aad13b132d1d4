import { expect, test } from 'vitest';
import { OwnerPlaces } from './owner-places.ts';

/** The places that each owner gets if it takes as many as it can get. */
function taken(places: OwnerPlaces, owners: readonly number[]): readonly (() => void)[][] {
  return owners.map((owner) => {
    const own: (() => void)[] = [];
    for (let place = places.take(owner); place !== null; place = places.take(owner)) own.push(place);
    return own;
  });
}

test.each([
  [20, [15, 4, 1]],
  [32, [24, 6, 2]],
  [1, [1, 0, 0]],
])('of %i places, one owner gets at most three quarters, and each further one as much of the rest', (total, shares) => {
  expect(taken(new OwnerPlaces(total), [1, 2, 3]).map(({ length }) => length)).toEqual(shares);
});

test('a place that is given back is free again, once', () => {
  const places = new OwnerPlaces(4);
  const [own = []] = taken(places, [1]);
  expect(own).toHaveLength(3);
  own[0]?.();
  own[0]?.();
  expect(taken(places, [1, 2]).map(({ length }) => length)).toEqual([1, 1]);
});
