import { expect, test } from 'vitest';
import { FairTurns, type TurnSource } from './fair-turns.ts';

const stranger = (id: string): TurnSource => ({ id, isKnown: false });
const known = (id: string): TurnSource => ({ id, isKnown: true });

/** Turns whose work ends one by one, and what began and failed so far. */
function queue(atOnce = 2) {
  const turns = new FairTurns({ atOnce, waiting: 20, message: 'Too many.' });
  const log: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (name: string, source: TurnSource, gone?: AbortSignal): void => {
    const work = (): Promise<void> => {
      log.push(name);
      return new Promise((resolve) => ends.push(resolve));
    };
    turns.take(source, work, gone).catch((error: { code: string }) => log.push(`${name} ${error.code}`));
  };
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  /** Ends work until nothing is left, and returns what happened since. */
  const drain = async (): Promise<readonly string[]> => {
    await settled();
    const from = log.length;
    for (let end = ends.shift(); end !== undefined; end = ends.shift()) {
      end();
      await settled();
    }
    return log.slice(from);
  };
  return { ask, log, drain };
}

test('work is done as often at once as allowed, and the rest in the order in which they came', async () => {
  const { ask, log, drain } = queue();
  for (const name of ['a', 'b', 'c', 'd']) ask(name, stranger(name));
  expect(log).toEqual(['a', 'b']);
  expect(await drain()).toEqual(['c', 'd']);
});

test('known sources are served before strangers', async () => {
  const { ask, drain } = queue();
  for (const name of ['a', 'b', 'c', 'd']) ask(name, stranger(name));
  ask('known', known('known'));
  expect(await drain()).toEqual(['known', 'c', 'd']);
});

test('a full queue rejects more of the flood and has room for everybody else', async () => {
  const { ask, log, drain } = queue();
  for (let index = 0; index < 30; index += 1) ask(`flood ${index}`, stranger('flood'));
  ask('other', stranger('other'));
  ask('known', known('known'));
  const happened = await drain();
  expect(log.filter((line) => line.endsWith('overloaded'))).toHaveLength(8 + 2);
  expect(happened).toContain('other');
  expect(happened[0]).toBe('known');
});

test('a queue full of different strangers has room for known sources only', async () => {
  const { ask, log, drain } = queue();
  for (let index = 0; index < 22; index += 1) ask(`stranger ${index}`, stranger(`${index}`));
  ask('one more', stranger('one more'));
  ask('known', known('known'));
  await drain();
  expect(log.filter((line) => line.endsWith('overloaded'))).toEqual(['one more overloaded', 'stranger 21 overloaded']);
});

test('a known source with many requests neither fills the queue nor is always served first', async () => {
  const { ask, log, drain } = queue();
  for (let index = 0; index < 30; index += 1) ask(`many ${index}`, known('many'));
  ask('one', known('one'));
  const happened = await drain();
  expect(log.filter((line) => line.endsWith('overloaded'))).toHaveLength(8 + 1);
  expect(happened.indexOf('one')).toBeLessThan(3);
});

test('a queue full of known sources rejects everybody', async () => {
  const { ask, log, drain } = queue();
  for (let index = 0; index < 22; index += 1) ask(`known ${index}`, known(`${index}`));
  ask('one more', known('one more'));
  ask('stranger', stranger('stranger'));
  await drain();
  expect(log.filter((line) => line.endsWith('overloaded'))).toEqual(['one more overloaded', 'stranger overloaded']);
});

test('sources that ask for much take turns with each other and with those that ask for little', async () => {
  const { ask, drain } = queue();
  for (let index = 0; index < 6; index += 1) for (const name of ['a', 'b']) ask(name, known(name));
  ask('c', known('c'));
  expect((await drain()).slice(0, 5)).toEqual(['a', 'b', 'c', 'a', 'b']);
});

test('one source leaves places for others, who begin at once', async () => {
  const { ask, log, drain } = queue(8);
  for (let index = 0; index < 9; index += 1) ask('many', known('many'));
  expect(log).toHaveLength(6);
  ask('one', known('one'));
  ask('two', known('two'));
  expect(log.slice(6)).toEqual(['one', 'two']);
  expect(await drain()).toEqual(['many', 'many', 'many']);
});

test('a request that nobody waits for any more leaves the queue and its place', async () => {
  const { ask, drain } = queue();
  const [gone, late] = [new AbortController(), new AbortController()];
  for (let index = 0; index < 22; index += 1) ask(`gone ${index}`, known(`${index}`), gone.signal);
  late.abort();
  ask('gone before', known('late'), late.signal);
  gone.abort();
  ask('next', known('next'));
  const happened = await drain();
  expect(happened).toContain('next');
  expect(happened.filter((line) => line.startsWith('gone') && !line.endsWith('overloaded'))).toEqual([]);
});

test('the end of a request does not concern work that has begun, or its place in the queue', async () => {
  const { ask, drain } = queue();
  const gone = new AbortController();
  for (const name of ['a', 'b', 'c']) ask(name, known(name), gone.signal);
  expect((await drain()).length).toBe(1);
  gone.abort();
  ask('d', known('d'));
  expect(await drain()).toEqual([]);
});
