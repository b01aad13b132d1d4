import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { collectAll } from '../support/all-garbage.ts';
import { caseOf } from './cases.ts';
import { type StallReport, StallScene, stepSeconds } from './stall-scene.ts';

/**
 * A check of the code runs 500 cases, most of them small: about 20 seconds of processor time. `npm run test:stalls` runs
 * 20,000, all as large as the limits of the service allow.
 */
const count = Number(process.env.STALL_CASES ?? 500);
const first = Number(process.env.STALL_FIRST ?? 0);
const sizes = process.env.STALL_SIZES === 'full' ? 'full' : 'mixed';

/**
 * Milliseconds in which another user's small request is answered. They are processor time of the main thread, from the
 * request to its answer, with everything else that this thread does meanwhile. On a machine of its own this is the time
 * that the user waits. The machine of a check has two cores and other tests on them: there the time of a clock says how
 * busy the other tests are.
 */
const answersMs = Number(process.env.STALL_MS ?? 250);

/**
 * A slow case is run again, twice at most: shared caches and collections of garbage make single runs up to three times
 * slower, but a case that stalls does so every time.
 */
const mostRuns = 3;

/** Megabytes by which a case may increase the memory: 500 for the whole service, 100 of which it has at rest. */
const mostGrowth = 400;
/** The memory of the process is measured where it runs nothing but these cases. */
const mostProcessGrowth = sizes === 'full' ? mostGrowth : Number.POSITIVE_INFINITY;
/** Megabytes of the process at rest, most of which the test framework needs: no case may leave anything behind. */
const mostAtRest = 300;

/** The database of a scene contains every large payload. */
const casesPerScene = 20;

/**
 * Bytes of the process above which it collects garbage between two cases, as the service does when it is idle: a case
 * must not pay for the garbage of the cases before it.
 */
const idleBytes = 250 * 2 ** 20;

/** What is wrong with a case; null if nothing is. */
function issueOf(report: StallReport): string | null {
  if (report.issue !== null) return report.issue;
  if (report.tookMs > report.steps * (stepSeconds * 1000 + 500)) return 'a step took longer than its limit';
  if (report.memoryGrowth > mostGrowth || report.processGrowth > mostProcessGrowth) return 'it took too much memory';
  return Math.max(report.longestMs, report.healthMs, report.webhookMs) > answersMs ? 'it stalled others' : null;
}

interface Failure extends StallReport {
  readonly run: string;
}

/** In a check of the code, the cases are too small to need a file. */
async function openScene(): Promise<StallScene> {
  if (sizes !== 'full') return StallScene.open(':memory:');
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  return StallScene.open(join(folder, 'millrace.db'));
}

const folder = mkdtempSync(join(tmpdir(), 'millrace-stall-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the case of a seed; null if nothing is wrong with it. */
async function failureOf(scene: StallScene, seed: number): Promise<Failure | null> {
  for (let run = 1; ; run += 1) {
    const report = await scene.run(caseOf(seed, sizes));
    const issue = issueOf(report);
    if (issue === null) return null;
    const command = `STALL_FIRST=${seed} STALL_CASES=1 STALL_SIZES=${sizes} npm run test:stalls`;
    if (issue !== 'it stalled others' || run === mostRuns) return { run: command, ...report, issue };
  }
}

test('no payload, graph, expression, rule, answer, model, output, query, text or schema stalls other users', async () => {
  let scene = await openScene();
  const failures: Failure[] = [];
  for (let seed = first; seed < first + count; seed += 1) {
    if (sizes === 'full' && (seed - first) % casesPerScene === casesPerScene - 1) {
      await scene.close();
      scene = await openScene();
    }
    if (sizes === 'full' && process.memoryUsage.rss() > idleBytes) await collectAll();
    const failure = await failureOf(scene, seed);
    if (failure === null) continue;
    failures.push(failure);
    // A long run shows its failures at once.
    if (sizes === 'full') console.log(JSON.stringify(failure));
  }
  await scene.close();
  await collectAll();
  const atRest = process.memoryUsage.rss() / 2 ** 20;
  if (sizes === 'full') console.log(`${failures.length} of ${count} cases fail`);
  expect(failures).toEqual([]);
  if (sizes === 'full') expect(atRest).toBeLessThan(mostAtRest);
  // 20,000 cases take hours.
}, 86_400_000);
