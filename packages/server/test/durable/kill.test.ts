import { expect, test } from 'vitest';
import { killRounds } from './kill-rounds.ts';

/** Ten rounds here; `npm run test:crash` does fifty. */
const rounds = Number(process.env.KILL_ROUNDS ?? 10);

test(
  'kill -9 under load loses no accepted execution, leaves none stuck, and repeats no finished step',
  async () => {
    const report = await killRounds(rounds, (line) => console.log(line));
    console.log(JSON.stringify({ ...report, slowestRestartMs: report.slowestRestartMs }));
    expect(report.accepted).toBeGreaterThan(rounds * 20);
    expect(report).toMatchObject({ lost: [], stuck: [], repeated: [], doubled: [] });
  },
  60_000 * rounds,
);
