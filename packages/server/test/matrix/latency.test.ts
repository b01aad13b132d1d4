import type { InjectOptions } from 'fastify';
import { afterAll, expect, test } from 'vitest';
import { castOf } from './roles.ts';
import { newScene } from './scene.ts';
import { WholeApp } from './whole-app.ts';

/** The goal: over 2,000 pairs the medians are less than a millisecond apart. The default is fewer pairs. */
const pairs = Number(process.env.LATENCY_PAIRS ?? 400);
const mostMs = 1;
/** On a busy machine both take longer and differ by more, so the tolerance is a fraction of their time. */
const mostShare = 0.3;

const app = await WholeApp.start();
const cast = await castOf(app);
afterAll(() => app.close());

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

async function timed(request: InjectOptions): Promise<number> {
  const start = performance.now();
  await app.server.inject(request);
  return performance.now() - start;
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

const signature = { 'x-hub-signature-256': 'sha256=0', 'content-type': 'application/json' };
const body = JSON.stringify({ text: 'x'.repeat(2000) });

test.each([
  ['a workflow', 'GET', '/api/v1/workflows/:slug/'],
  ['its export', 'GET', '/api/v1/workflows/:slug/export/'],
  ['its execution', 'GET', '/api/v1/executions/:execution_id/'],
  ['its webhook', 'POST', '/api/v1/webhooks/:slug'],
  ['its webhook, with a signature', 'POST', '/api/v1/webhooks/:slug'],
] as const)('%s of another user is rejected as fast as a missing one', async (what, method, path) => {
  const { present, missing } = await newScene(app, cast);
  const isSigned = what.includes('signature');
  const headers = isSigned ? signature : { authorization: `Bearer ${cast.keys.get('stranger')}` };
  const request = (params: Readonly<Record<string, string>>): InjectOptions => ({
    method,
    url: path.replace(/:(\w+)/, (_sign, name: string) => params[name] ?? ''),
    headers: { ...headers, 'content-type': 'application/json' },
    ...(method === 'POST' && { payload: body }),
  });
  const [foreign, nothing] = await medians(request(present), request(missing));
  if (process.env.LATENCY_PAIRS !== undefined) {
    console.log(`${what}: ${(foreign * 1000).toFixed(0)} µs, missing ${(nothing * 1000).toFixed(0)} µs`);
  }
  expect(Math.abs(foreign - nothing)).toBeLessThan(Math.max(mostMs, mostShare * nothing));
});
