import { dslValidation } from '@millrace/contract';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { WholeApp } from '../matrix/whole-app.ts';
import { apiOf } from '../support/api.ts';
import { counted, reached } from '../support/reached.ts';
import { yamlBomb, yamlBombs } from '../support/yaml-bombs.ts';

/**
 * The CPU time of the only thread that one answer to a hostile text may use, in milliseconds. 250 is enough on an idle
 * machine; a slower machine must not fail because of its speed.
 */
const most = Number(process.env.BOMB_MS ?? 1_000);
/** A few hundred here; `npm run test:bombs` runs five thousand. */
const mutants = Number(process.env.BOMB_MUTANTS ?? 150);

const app = await WholeApp.start();
const user = await app.addUser('author');
const api = apiOf(app.server, (await app.addKey(user)).key);
const slowest = { name: '', ms: 0 };

afterAll(async () => {
  if (process.env.BOMB_MUTANTS !== undefined) console.log('slowest', slowest);
  expect({}).not.toHaveProperty('polluted');
  await app.close();
});

/** CPU time, not elapsed time, so that other load on this machine does not count. */
async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const before = process.threadCpuUsage();
  const result = await work();
  const { user: own, system } = process.threadCpuUsage(before);
  const ms = (own + system) / 1000;
  if (ms > slowest.ms) Object.assign(slowest, { name, ms });
  expect(ms, `milliseconds for ${name}`).toBeLessThan(most);
  return result;
}

async function check(name: string, text: string): Promise<boolean> {
  const body = { yaml_str: text };
  const answer = await timed(name, () => api.post('/api/v1/workflows/validate-dsl/', body));
  if (answer.status !== 200) expect([400, 413, 422], name).toContain(answer.status);
  return answer.status === 200 && dslValidation.parse(answer.body).valid;
}

test('there are at least sixty bombs', () => {
  expect(yamlBombs.size).toBeGreaterThanOrEqual(60);
});

/** Valid texts: they only cause a lot of work. */
const sound = new Set(['a chain', 'a schema of patterns', 'loops in a row']);

test.each([...yamlBombs])('%s does no harm', async (name, text) => {
  expect(await check(name, text)).toBe(sound.has(name));
});

test.each([
  'a billion laughs',
  'steps in steps',
  'cycles',
  'prototypes',
])('%s is imported or rejected, and does no harm', async (name) => {
  const yaml_str = yamlBomb(name);
  const answer = await api.post('/api/v1/workflows/import/', { yaml_str, slug: 'bomb' });
  expect([201, 200, 422]).toContain(answer.status);
});

test('random mutations of them do no harm', { timeout: Math.max(300_000, 1000 * mutants) }, async () => {
  const bombs = [...yamlBombs.values()];
  const token = fc.constantFrom(
    '[',
    ']',
    '{',
    '}',
    ': ',
    '- ',
    '? ',
    '\n',
    '\n  ',
    '"',
    "'",
    '|\n',
    '>-\n',
    '&a ',
    '*a',
    '!!map ',
    '<<: ',
    ', ',
    '#',
    '{{ ',
    ' }}',
    '\t',
    '\0',
    '---\n',
    '\u2028',
    'null',
  );
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.nat(2000),
    text: fc.oneof(
      token,
      token.map((t) => t.repeat(500)),
    ),
    kind: fc.constantFrom('insert', 'delete', 'double'),
  });
  const mutant = fc
    .tuple(fc.nat(bombs.length - 1), fc.array(edit, { minLength: 1, maxLength: 6 }))
    .map(([index, edits]) => edits.reduce(mutated, bombs[index] ?? ''));
  await fc.assert(
    fc.asyncProperty(mutant, async (text) => {
      await check('a mutant', text);
    }),
    { numRuns: mutants },
  );
  const texts = `${yamlBombs.size} documents and ${counted(mutants)} mutations`;
  reached('P2', `${texts}, at most ${counted(slowest.ms)} ms of processor time each`);
});

interface Edit {
  /** The position in the text, as a fraction. */
  readonly at: number;
  readonly length: number;
  readonly text: string;
  readonly kind: 'insert' | 'delete' | 'double';
}

function mutated(text: string, { at, length, text: added, kind }: Edit): string {
  const start = Math.floor(at * text.length);
  const piece = text.slice(start, start + length);
  if (kind === 'insert') return text.slice(0, start) + added + text.slice(start);
  return text.slice(0, start) + (kind === 'double' ? piece + piece : '') + text.slice(start + length);
}
