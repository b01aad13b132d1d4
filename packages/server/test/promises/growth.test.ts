import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { residentMegabytes } from '../slow/window.ts';
import { reached } from '../support/reached.ts';
import { LoadedService } from './loaded-service.ts';

/** `npm run promises -- --release` sets twenty. */
const minutes = Number(process.env.GROWTH_MINUTES ?? 0);
const service = await LoadedService.start();
afterAll(() => service.remove());

const openFiles = (): number => readdirSync(`/proc/${service.pid}/fd`).length;

/** Executions until `isOver`, and the memory after a rest, in megabytes. */
async function memoryAfter(isOver: (count: number) => boolean, restMs: number): Promise<number> {
  await service.post(8, ({ acknowledged }) => isOver(acknowledged.length));
  await service.lost([]);
  await sleep(restMs);
  return residentMegabytes(service.pid);
}

test.skipIf(minutes > 0)('memory and open files stay the same from round to round', async () => {
  const rounds: number[] = [];
  const files: number[] = [];
  // The first round warms the service up.
  for (let round = 0; round < 4; round += 1) {
    rounds.push(await memoryAfter((count) => count >= 1000, 0));
    files.push(openFiles());
  }
  const growth = ((rounds[3] ?? Number.NaN) - (rounds[1] ?? Number.NaN)) / 2;
  expect(growth).toBeLessThan(80);
  expect(files[3]).toBeLessThanOrEqual((files[1] ?? 0) + 2);
  reached('P21', `3 rounds of 1,000 executions: ${growth.toFixed(1)} MB from round to round, ${files[3]} open files`);
});

test.runIf(minutes > 0)(
  'memory and open files stay the same for a long time',
  { timeout: minutes * 120_000 },
  async () => {
    const eachMs = (minutes * 60_000) / 10;
    const rounds: number[] = [];
    const files: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      const end = performance.now() + eachMs - 15_000;
      // Memory is returned some ten seconds after a burst.
      rounds.push(await memoryAfter(() => performance.now() >= end, 15_000));
      files.push(openFiles());
    }
    const slope = slopeOf(rounds.slice(3)) / (eachMs / 60_000);
    expect(slope).toBeLessThan(1);
    expect(files[9]).toBeLessThanOrEqual((files[3] ?? 0) + 2);
    reached('P21', `${minutes} minutes: ${slope.toFixed(2)} MB per minute, ${files[9]} open files`);
  },
);

/** The slope of the line that fits values at equal distances best. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const [top, bottom] = values.reduce(
    ([sum, squares], value, at) => [sum + (at - middle) * (value - mean), squares + (at - middle) ** 2],
    [0, 0],
  );
  return top / bottom;
}
