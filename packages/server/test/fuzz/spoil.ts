import fc from 'fast-check';

/** One way to break a value: the position, and the replacement. */
export interface Spoiling {
  /** The index of the position in the value. */
  readonly place: number;
  readonly put: { readonly value: unknown } | 'nothing';
}

const wrong: readonly unknown[] = [
  null,
  true,
  '',
  0.5,
  -1,
  2 ** 31,
  1e300,
  'x'.repeat(20_000),
  '\u0000',
  '\ud800',
  [],
  {},
  [null],
  ['a', 1],
  { a: null },
  JSON.parse('{"__proto__": {"polluted": true}}'),
  { constructor: { prototype: { polluted: true } } },
  Array.from({ length: 1_001 }, () => 'x'),
];

/** Ways to break any value in one position: most violate its schema, which the caller checks. */
export const spoiling: fc.Arbitrary<Spoiling> = fc.record({
  place: fc.nat({ max: 1_000 }),
  put: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...wrong).map((value) => ({ value })) },
    { weight: 1, arbitrary: fc.constant('nothing' as const) },
  ),
});

/** The value with one position changed: itself, a field, an item, or a nested value. */
export function spoil(value: unknown, { place, put }: Spoiling): unknown {
  const places = placesOf(value);
  const path = places[place % places.length] ?? [];
  return replaced(value, path, put);
}

type Path = readonly string[];

function placesOf(value: unknown): Path[] {
  if (value === null || typeof value !== 'object') return [[]];
  const inside = Object.entries(value).flatMap(([key, item]) => placesOf(item).map((path) => [key, ...path]));
  // Outer positions count twice, because schemas constrain them most.
  return [[], ...Object.keys(value).map((key) => [key]), ...inside];
}

function replaced(value: unknown, [key, ...rest]: Path, put: Spoiling['put']): unknown {
  if (key === undefined) return put === 'nothing' ? undefined : put.value;
  if (Array.isArray(value)) return value.map((item, at) => (String(at) === key ? replaced(item, rest, put) : item));
  return Object.fromEntries(
    Object.entries(value as object).map(([name, item]) => [name, name === key ? replaced(item, rest, put) : item]),
  );
}
