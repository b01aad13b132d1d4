import { expect, test } from 'vitest';
import { Shares } from './shares.ts';

const large = 5_000_000;

/** The runs that each owner gets if all of them want as many as they can get, one after the other. */
function gotten(wanted: readonly { readonly ownerId: number; readonly size: number; readonly count?: number }[]) {
  const shares = new Shares(() => []);
  return wanted.map(({ ownerId, size, count = 2000 }) => {
    let got = 0;
    while (got < count && shares.free > 0 && shares.lackedBy(ownerId, size) === null) {
      shares.take({ ownerId, size });
      got += 1;
    }
    return got;
  });
}

test('one owner gets three quarters of the places, and each further one three quarters of the rest', () => {
  const owners = [1, 2, 3, 1].map((ownerId) => ({ ownerId, size: 10 }));
  expect(gotten(owners)).toEqual([750, 188, 47, 0]);
});

test('owners that want more than there is come to hold as much as each other', () => {
  const held: number[] = Array.from({ length: 750 }, () => 1);
  const runs = () => held.map((ownerId) => ({ ownerId, size: 10 }));
  for (let ended = 0; ended < 4000; ended += 1) {
    // A linear congruence picks the run that ends.
    if (held.length > 700) held.splice((ended * 7919) % held.length, 1);
    const shares = new Shares(() => [runs()]);
    for (const ownerId of [1, 2]) {
      while (shares.free > 0 && shares.lackedBy(ownerId, 10) === null) {
        shares.take({ ownerId, size: 10 });
        held.push(ownerId);
      }
    }
  }
  const [one, two] = [1, 2].map((owner) => held.filter((ownerId) => ownerId === owner).length);
  expect(Math.abs((one ?? 0) - (two ?? 0))).toBeLessThan(40);
});

test('large runs of one owner leave memory for those of others, and small runs always start', () => {
  const wanted = [
    { ownerId: 1, size: large },
    { ownerId: 2, size: large },
    { ownerId: 1, size: 262_144, count: 3 },
    { ownerId: 3, size: 262_144, count: 3 },
  ];
  expect(gotten(wanted)).toEqual([6, 2, 3, 3]);
});

test('a run that has grown beyond all memory leaves some for large runs of others', () => {
  const grown = { ownerId: 1, size: 64_000_000 };
  const shares = new Shares(() => [[], [grown]]);
  expect(shares.lackedBy(1, large)).toBe('memory');
  expect(shares.lackedBy(2, large)).toBe(null);
  shares.take({ ownerId: 2, size: large * 2 });
  expect(shares.lackedBy(3, large)).toBe('memory');
  expect(shares.lackedBy(3, 10)).toBe(null);
});

test('places are scarce only when one owner may have its share', () => {
  const runs = (count: number) => Array.from({ length: count }, () => ({ ownerId: 1, size: 10 }));
  expect(new Shares(() => [runs(749)]).areScarce).toBe(false);
  expect(new Shares(() => [runs(700), runs(50)]).areScarce).toBe(true);
  expect(new Shares(() => [[{ ownerId: 1, size: 24_000_000 }]]).areScarce).toBe(false);
  expect(new Shares(() => [[{ ownerId: 1, size: 26_000_000 }]]).areScarce).toBe(true);
});
