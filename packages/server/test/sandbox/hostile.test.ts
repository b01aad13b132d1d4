import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Ending, endingOf, testSandbox } from '../../src/sandbox/sandbox.testkit.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { promisedMs } from '../support/by-the-clock.ts';
import { counted, reached } from '../support/reached.ts';
import { answerScripts } from './answer-scripts.ts';
import { endlessScripts } from './endless-scripts.ts';
import { escapeScripts } from './escape-scripts.ts';
import { memoryScripts } from './memory-scripts.ts';
import { SandboxCensus } from './sandbox-census.ts';

/** The number of concurrent scripts. The full test (`npm run test:sandbox`) uses ten, with a second for each. */
const lanes = Number(process.env.SANDBOX_LANES ?? 2);

/** Scripts that run into their limit need a process each, so by default only every second one runs. */
const every = Number(process.env.SANDBOX_EVERY ?? 2);

/** The time limit of endless scripts: short, so that many fit into a check of the code. */
const endlessMs = Number(process.env.SANDBOX_LIMIT_MS ?? 150);
/** Long enough to use more memory than allowed. */
const memoryMs = Math.max(400, endlessMs);
/** The maximum delay after the limit: half a second by `npm run test:sandbox`, otherwise any. */
const graceMs = promisedMs(500);
const memoryMb = 128;

const canary = `canary-${process.pid}`;
process.env.MILLRACE_SANDBOX_CANARY = canary;
const folder = mkdtempSync(join(tmpdir(), 'millrace-canary-'));
writeFileSync(join(folder, 'secret'), canary);
let connections = 0;
const listener = createServer((socket) => {
  connections += 1;
  socket.destroy();
}).listen(0, '127.0.0.1');

const sandboxOf = (ms: number) => testSandbox({ limits: { seconds: ms / 1000, memoryMb }, processes: lanes });
/** With a limit that is never reached, even on a busy machine. */
const patient = sandboxOf(300_000);
const census = new SandboxCensus();

afterAll(async () => {
  patient.close();
  census.close();
  listener.close();
  rmSync(folder, { recursive: true });
  delete process.env.MILLRACE_SANDBOX_CANARY;
  // A process that does not end exceeds the limit of this hook.
  await census.allEnded();
});

const mostOf = <Item>(items: readonly Item[]): Item[] => items.filter((_, index) => index % every === 0);

/** Runs a job for each item, in as many lanes as there are processes, so that no job waits for another. */
async function inLanes<Item>(items: readonly Item[], job: (item: Item, lane: number) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const lane = async (_: unknown, index: number): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await job(item, index);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** Waits for a ready process, so that the measurement does not include its start. */
async function warmUp(sandbox: Sandbox, workflowId: number): Promise<void> {
  // On a busy machine the limit of a script can end before its result arrives.
  while ((await endingOf(sandbox, 'return 1', { workflowId })).value !== 1);
}

/** A moment in the future, as this busy machine observes it: a late timer is not an error of the sandbox. */
class Moment {
  readonly #dueAt: number;
  readonly #came: Promise<number>;

  constructor(ms: number) {
    this.#dueAt = performance.now() + ms;
    this.#came = new Promise((resolve) => setTimeout(() => resolve(performance.now()), ms));
  }

  /** Milliseconds since the moment; negative before. */
  async sinceThen(): Promise<number> {
    const now = performance.now();
    return now - (now < this.#dueAt ? this.#dueAt : await this.#came);
  }
}

/** The violations at the end of any script. */
function harmOf(ending: Ending): string[] {
  const endingText = JSON.stringify(ending);
  const words = [canary, folder, '/node_modules/', 'sandbox/child', 'node:internal', 'root:x:'];
  return [
    ...words.filter((word) => endingText.includes(word)).map((word) => `it says ${word}`),
    ...(Object.keys(Object.prototype).length > 0 ? ['it polluted the prototype of objects'] : []),
    ...(endingText.length > 2_500_000 ? ['it says too much'] : []),
  ];
}

const scope = { input: { n: 1 }, trigger: { payload: {}, text: '' }, nodes: { before: { output: 1 } } };

describe.each([
  ['that never end', endlessScripts, endlessMs],
  ['that take memory', memoryScripts, memoryMs],
])('scripts %s', (_, scripts, limitMs) => {
  it('end at their limit, with an error that names it', { timeout: 600_000 }, async () => {
    const hasty = sandboxOf(limitMs);
    onTestFinished(() => hasty.close());
    const violations: string[] = [];
    await inLanes(mostOf(scripts), async (source, workflowId) => {
      await warmUp(hasty, workflowId);
      const limit = new Moment(limitMs);
      const ending = await endingOf(hasty, source, { scope, workflowId });
      const lateMs = await limit.sinceThen();
      const harm = harmOf(ending);
      if (lateMs > graceMs) harm.push(`it ended ${Math.round(lateMs)} ms late`);
      if (ending.code === undefined) harm.push(`it gave ${JSON.stringify(ending.value).slice(0, 100)}`);
      if (harm.length > 0) violations.push(`${source}: ${harm.join(', ')}`);
    });
    expect(violations).toEqual([]);
  });
});

describe('scripts that try to escape', () => {
  it('do not succeed', { timeout: 600_000 }, async () => {
    const violations: string[] = [];
    await inLanes(escapeScripts, async (source, workflowId) => {
      const ending = await endingOf(patient, source, { scope, workflowId });
      const harm = harmOf(ending);
      // They end by themselves: without a result, or with an error of the language.
      if (ending.code === undefined ? ending.value !== null : !/^code_(error|syntax)$/.test(ending.code)) {
        harm.push(`it ended with ${JSON.stringify(ending).slice(0, 200)}`);
      }
      if (harm.length > 0) violations.push(`${source.split('\n').at(-2)}: ${harm.join(', ')}`);
    });
    expect(violations).toEqual([]);
  });
});

describe('scripts that attack their result', () => {
  it('affect only that result, and not the next script', { timeout: 600_000 }, async () => {
    const violations: string[] = [];
    await inLanes(answerScripts, async ([source, expected], workflowId) => {
      const ending = await endingOf(patient, source, { scope, workflowId });
      const harm = harmOf(ending);
      if (!expected.test(JSON.stringify(ending))) harm.push(`it ended with ${JSON.stringify(ending).slice(0, 200)}`);
      const next = await endingOf(patient, 'return [1, {}]', { workflowId });
      if (JSON.stringify(next) !== '{"value":[1,{}],"lines":[]}') harm.push(`the next got ${JSON.stringify(next)}`);
      if (harm.length > 0) violations.push(`${source.slice(0, 200)}: ${harm.join(', ')}`);
    });
    expect(violations).toEqual([]);
  });
});

describe('after all of them', () => {
  it('there was no connection, no file, and no process larger than allowed', () => {
    const count = [mostOf(endlessScripts), mostOf(memoryScripts), escapeScripts, answerScripts].flat().length;
    expect(count).toBeGreaterThanOrEqual(200);
    expect(connections).toBe(0);
    expect(readdirSync(folder)).toEqual(['secret']);
    expect(census.largestMb).toBeGreaterThan(memoryMb / 2);
    // On a busy machine the size of a process is checked late, when it already uses more.
    expect(census.largestMb).toBeLessThan(4 * memoryMb);
    const scripts = `${count} scripts, ${lanes} at once, none escaped`;
    reached('P5', `${scripts}, largest process ${counted(census.largestMb)} MB`);
  });
});
