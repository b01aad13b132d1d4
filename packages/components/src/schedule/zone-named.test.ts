import { expect, test } from 'vitest';
import { zoneNamed } from './zone-named.ts';

test.each([
  ['Europe/Berlin', 'Europe/Berlin'],
  ['europe/BERLIN', 'Europe/Berlin'],
  ['utc', 'UTC'],
  ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
])('the zone %s is %s in every spelling', (name, usual) => {
  expect(zoneNamed(name)?.offset(0)).toBe(zoneNamed(usual)?.offset(0));
  expect(zoneNamed(name)).toBe(zoneNamed(name.toUpperCase()));
});

test('an older name of a zone has the same clock in every spelling', () => {
  expect(zoneNamed('US/Pacific')?.offset(0)).toBe(-8 * 60);
  expect(zoneNamed('us/pacific')).toBe(zoneNamed('US/Pacific'));
});

test.each(['', 'Europe/Atlantis', 'constructor', 'x'.repeat(1000)])('%j is no zone', (name) => {
  expect(zoneNamed(name)).toBeNull();
});
