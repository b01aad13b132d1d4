import { beforeAll, expect, test } from 'vitest';
import { loadSyntaxCheck } from './rejection.ts';
import { Typist } from './typist.testkit.ts';

/** `npm run test:typing` types 5,000 sequences. */
const sequences = Number(import.meta.env.MILLRACE_TYPING_SEQUENCES ?? 60);
const firstSeed = Number(import.meta.env.MILLRACE_TYPING_SEED ?? 1);
const steps = 30;

beforeAll(loadSyntaxCheck);

test('what is typed, pasted, completed, chosen and undone is stored, or marked in its field and in the header', async () => {
  for (let index = 0; index < sequences; index += 1) {
    const seed = firstSeed + index;
    const typist = new Typist(seed);
    try {
      await typist.start();
      for (let step = 0; step < steps; step += 1) await typist.step();
      await typist.end();
    } catch (error) {
      throw new Error(`MILLRACE_TYPING_SEED=${seed}: ${typist.done.slice(-12).join(', ')}`, { cause: error });
    }
  }
  expect(sequences).toBeGreaterThan(0);
});
