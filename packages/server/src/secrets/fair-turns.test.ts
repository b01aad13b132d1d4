import { expect, test } from 'vitest';
import { FairTurns, type HashSource } from './fair-turns.ts';

const stranger = (id: string): HashSource => ({ id, isKnown: false });
const known = (id: string): HashSource => ({ id, isKnown: true });

/** Turns whose work ends one by one, and what began and failed so far. */
function queue() {
  const turns = new FairTurns();
  const log: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (name: string, source: HashSource): void => {
    const work = (): Promise<void> => {
      log.push(name);
      return new Promise((resolve) => ends.push(resolve));
    };
    turns.take(source, work).catch((error: { code: string }) => log.push(`${name} ${error.code}`));
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

test('two hashes are computed at once, and the others in the order in which they came', async () => {
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
