import { afterAll, expect, test } from 'vitest';
import { returned, testSandbox } from './sandbox.testkit.ts';

const sandbox = testSandbox();
afterAll(() => sandbox.close());

const now = Date.UTC(2026, 0, 1, 12);
const parsedLine = '2026-01-01T12:00:00.000Z';

test.each([
  ['return Date.now()', now],
  ['return new Date().toISOString()', parsedLine],
  ['return new Date(Date.now()).toISOString()', parsedLine],
  ['return new (class extends Date {})().toISOString()', parsedLine],
  ['return new (new Date(5).constructor)().toISOString()', parsedLine],
  ['return Reflect.construct(Date, []).toISOString()', parsedLine],
  ['return Date() === new Date().toString()', true],
  ["return new Intl.DateTimeFormat('en', { year: 'numeric', timeZone: 'UTC' }).format()", '2026'],
  ["return new Intl.DateTimeFormat('en', { year: 'numeric', timeZone: 'UTC' }).formatToParts()[0].value", '2026'],
  // A date with an explicit time has that time.
  ['return new Date(0).toISOString()', '1970-01-01T00:00:00.000Z'],
  ['return new Date(2020, 1).getFullYear()', 2020],
  ['return [new Date() instanceof Date, Date.UTC(1970, 0), Date.length, Date.name]', [true, 0, 7, 'Date']],
  ["return new Intl.DateTimeFormat('en', { year: 'numeric', timeZone: 'UTC' }).format(new Date(0))", '1970'],
  ['return typeof performance', 'undefined'],
  ['return typeof Temporal', 'undefined'],
])('in a virtual world %s gives %j', async (source, value) => {
  expect(await returned(sandbox, source, { world: { now, seed: 1 } })).toEqual(value);
});

test('the random numbers of a script depend on the seed alone', async () => {
  const source = 'return Array.from({ length: 1000 }, Math.random)';
  const draw = async (seed: number) => (await returned(sandbox, source, { world: { now, seed } })) as number[];
  const [one, again, other] = [await draw(7), await draw(7), await draw(4_294_967_295)];
  expect(again).toEqual(one);
  expect(other).not.toEqual(one);
  expect(one.every((drawn) => drawn >= 0 && drawn < 1)).toBe(true);
  // The mean of a thousand numbers is within ten standard deviations of one half.
  expect(Math.abs(one.reduce((sum, drawn) => sum + drawn, 0) / 1000 - 0.5)).toBeLessThan(0.1);
});

test('the next script without a virtual world has the time and randomness of the machine', async () => {
  const source = 'return [Date.now(), Math.random()]';
  const world = { now, seed: 1 };
  const first = await returned(sandbox, source, { world });
  const [time, chance] = (await returned(sandbox, source)) as number[];
  // The virtual time is not today's.
  expect(Math.abs((time ?? 0) - Date.now())).toBeLessThan(86_400_000);
  expect([now, chance]).not.toEqual(first);
});
