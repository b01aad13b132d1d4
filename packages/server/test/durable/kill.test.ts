import { expect, test } from 'vitest';
import { counted, reached } from '../support/reached.ts';
import { killRounds } from './kill-rounds.ts';

/** Ten rounds here; `npm run test:crash` runs a hundred. */
const rounds = Number(process.env.KILL_ROUNDS ?? 10);
/** The maximum median of the restart times, in milliseconds. `npm run test:crash` requires 2,000; here there is no limit. */
const restartMs = Number(process.env.KILL_RESTART_MS ?? Number.POSITIVE_INFINITY);

test(
  'kill -9 under load loses no execution, leaves none unfinished, repeats no finished step, causes each effect once by its key, and changes state once',
  async () => {
    const report = await killRounds(rounds, (line) => console.log(line));
    console.log(JSON.stringify(report));
    expect(report).toMatchObject({
      lost: [],
      unfinished: [],
      repeatedSteps: [],
      duplicateSteps: [],
      missingSteps: [],
      wrongState: [],
    });
    // The median, because a single restart may be slow when other processes use the cores.
    const median = report.restartMs.toSorted((a, b) => a - b)[Math.floor(rounds / 2)];
    expect(median).toBeLessThan(restartMs);
    const done = `${counted(rounds)} kills, ${counted(report.accepted)} acknowledged`;
    reached('P3', `${done}, 0 lost, 0 unfinished, half of the restarts within ${counted(median ?? Number.NaN)} ms`);
  },
  // Five minutes per round: only ends a test that hangs.
  300_000 * rounds,
);
