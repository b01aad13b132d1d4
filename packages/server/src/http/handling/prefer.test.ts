import { expect, test } from 'vitest';
import { prefersStrict } from './prefer.ts';

test.each([
  ['handling=strict', true],
  ['Handling = "strict"', true],
  ['respond-async, handling=strict; foo=bar', true],
  ['wait=10,handling=STRICT', true],
  ['handling=lenient', false],
  ['handling=lenient, handling=strict', false],
  ['strict', false],
  ['foo; handling=strict', false],
  ['', false],
])('Prefer: %s requests strict handling: %s', (prefer, isStrict) => {
  expect(prefersStrict({ prefer })).toBe(isStrict);
});

test('without the header, handling is lenient', () => {
  expect(prefersStrict({})).toBe(false);
});
