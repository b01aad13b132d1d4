import type { InjectOptions } from 'fastify';
import { afterAll, expect, test } from 'vitest';
import { castOf } from './roles.ts';
import { newScene } from './scene.ts';
import { WholeApp } from './whole-app.ts';

/** The goal: over 2,000 pairs the medians are less than a millisecond apart. The default is fewer pairs. */
const pairs = Number(process.env.LATENCY_PAIRS ?? 100);
const mostMs = 1;
/**
 * A round measures all pairs. One round below the limit is enough: a request that really takes longer exceeds it in each,
 * while other programs, which share the caches, do not slow down only one of two alternating requests ten times.
 */
const rounds = 10;

const app = await WholeApp.start();
const cast = await castOf(app);
afterAll(() => app.close());

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

/** Milliseconds of CPU time of the whole process, so that time in which other programs use the cores does not count. */
async function timed(request: InjectOptions): Promise<number> {
  const before = process.cpuUsage();
  await app.server.inject(request);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Medians of two requests that are sent alternately, so that other load affects both equally. */
async function medians(first: InjectOptions, second: InjectOptions): Promise<readonly [number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let pair = 0; pair < pairs; pair += 1) {
    // Each is sent first equally often, because the second may benefit from a cache that the first has filled.
    const isTurned = pair % 2 === 1;
    const one = await timed(isTurned ? second : first);
    const other = await timed(isTurned ? first : second);
    times[0].push(isTurned ? other : one);
    times[1].push(isTurned ? one : other);
    // Wrong signatures may be sent 20 times a minute.
    if (pair % 9 === 0) app.time.advance(60_000);
  }
  return [median(times[0]), median(times[1])];
}

/** The smallest difference of the medians in milliseconds; measures until it is below the limit. */
async function differenceOf(what: string, foreign: InjectOptions, missing: InjectOptions): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds && least >= mostMs; round += 1) {
    const [one, other] = await medians(foreign, missing);
    if (process.env.LATENCY_PAIRS !== undefined) {
      console.log(`${what}: ${(one * 1000).toFixed(0)} µs, missing ${(other * 1000).toFixed(0)} µs`);
    }
    least = Math.min(least, Math.abs(one - other));
  }
  return least;
}

/** Takes several milliseconds to read. */
const large = { text: 'x'.repeat(5_000_000) };

const signature = { 'x-hub-signature-256': 'sha256=0', 'content-type': 'application/json' };
const body = JSON.stringify({ text: 'x'.repeat(2000) });

test.each([
  ['a workflow', 'GET', '/api/v1/workflows/:slug/'],
  ['its export', 'GET', '/api/v1/workflows/:slug/export/'],
  ['its execution', 'GET', '/api/v1/executions/:execution_id/'],
  ['its webhook', 'POST', '/api/v1/webhooks/:slug'],
  ['its webhook, with a signature', 'POST', '/api/v1/webhooks/:slug'],
] as const)('%s of another user is rejected with as much work as a missing one', async (what, method, path) => {
  const { present, missing } = await newScene(app, cast, { payload: large });
  const isSigned = what.includes('signature');
  const headers = isSigned ? signature : { authorization: `Bearer ${cast.keys.get('stranger')}` };
  const request = (params: Readonly<Record<string, string>>): InjectOptions => ({
    method,
    url: path.replace(/:(\w+)/, (_sign, name: string) => params[name] ?? ''),
    headers: { ...headers, 'content-type': 'application/json' },
    ...(method === 'POST' && { payload: body }),
  });
  expect(await differenceOf(what, request(present), request(missing))).toBeLessThan(mostMs);
});
