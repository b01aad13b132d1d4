import { expect, test } from 'vitest';
import { seededRandom } from '../sim/seeded-random.ts';
import { boundedAnswers } from './answer-cases.ts';
import { boundedExpressions } from './expression-cases.ts';
import { boundedRequests, openRequests } from './request-cases.ts';
import { boundedRules } from './rule-cases.ts';
import { diceOf } from './stall-case.ts';
import { type StallReport, StallScene, stepSeconds } from './stall-scene.ts';

/** `all` also draws the kinds of cases that still stall the service: their list is the work that is left. */
const isAll = process.env.STALL_KINDS === 'all';
const bounded = [...boundedExpressions, ...boundedRules, ...boundedAnswers, ...boundedRequests];
const makers = isAll ? [...bounded, ...openRequests] : bounded;

/** A few seconds of processor time for each check of the code; `npm run test:stalls` runs 20,000 cases. */
const count = Number(process.env.STALL_CASES ?? 50);
const first = Number(process.env.STALL_FIRST ?? 0);

/**
 * Milliseconds of processor time in which another user's small request is answered: 250 on a machine of its own. A check
 * of the code shares caches and memory with other tests, which makes everything up to three times
 * slower; the longest of these cases takes 450 there.
 */
const answersMs = Number(process.env.STALL_MS ?? 1500);

/** Megabytes: 500 for the whole process, 100 of which the service has at rest. */
const mostMemory = 400;

/** What is wrong with a case; null if nothing is. */
function issueOf(report: StallReport): string | null {
  if (report.issue !== null) return report.issue;
  if (Math.max(report.longestMs, report.healthMs, report.webhookMs) > answersMs) return 'it stalled others';
  if (report.tookMs > stepSeconds * 1000 + 500) return 'it took longer than its limit';
  return report.memoryGrowth > mostMemory ? 'it took too much memory' : null;
}

test('no expression, rule, answer, search, malformed body or invalid text stalls the requests of others', async () => {
  const scene = await StallScene.open();
  const failures: unknown[] = [];
  for (let seed = first; seed < first + count; seed += 1) {
    const make = makers[seed % makers.length];
    if (make === undefined) throw new Error('there are no cases');
    const report = await scene.run(make(diceOf(seededRandom(seed))));
    const issue = issueOf(report);
    if (issue === null) continue;
    failures.push({ seed, ...report, issue });
    if (isAll) console.log(JSON.stringify({ seed, ...report, issue }));
  }
  await scene.close();
  if (isAll) console.log(`${failures.length} of ${count} cases fail`);
  expect(failures).toEqual([]);
  // 20,000 cases take hours.
}, 86_400_000);
