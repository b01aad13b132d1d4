import { afterAll, beforeEach, expect, it } from 'vitest';
import { collectAll } from '../support/all-garbage.ts';
import { type Running, startRunning } from '../support/running.ts';
import { LoopWatch } from './loop-watch.ts';
import { type ParserShape, parsers } from './parser-shapes.ts';

/** A check of the code sends one shape of each parser, another for each; `npm run test:parsers` sends all of them. */
const every = Number(process.env.PARSER_EVERY ?? 50);
const names = [...parsers.keys()];
/** Milliseconds of processor time for which nothing else may wait. */
const limitMs = Number(process.env.PARSER_MS ?? 250);
/** A slow shape is sent again: single times include compilation and collections of garbage. */
const mostRuns = 3;

let running: Running;
beforeEach(async () => {
  running = await startRunning({ withRunner: false });
  const member = await running.addPerson('member', 'full', true);
  const credential = async (credential_type: string, detail: object) => {
    const { body } = await member.post('/api/v1/credentials/', { name: credential_type, credential_type, detail });
    return (body as { id: number }).id;
  };
  const git = await credential('git', { webhook_secret: 'a secret' });
  const shop = await credential('tool', { config: { scheme: 'basic', username: 'shop', password: 'a-password' } });
  const hooks = {
    open: ['trigger_webhook', { auth: 'none' }, {}],
    slack: ['trigger_webhook', { auth: 'none', challenge: 'slack' }, {}],
    meta: ['trigger_webhook', { challenge: 'meta' }, { credential_id: git }],
    basic: ['trigger_webhook', { auth: 'basic' }, { credential_id: shop }],
    stripe: ['trigger_webhook', { auth: 'none', signature: 'stripe' }, { credential_id: git }],
  } as const;
  for (const [slug, start] of Object.entries(hooks)) await running.addWorkflow(member.user, slug, { nodes: { start } });
});

/** Milliseconds of processor time for which nothing else could happen, and the status of the answer. */
async function held({ request }: ParserShape): Promise<readonly [ms: number, status: number]> {
  const options = request();
  const watch = new LoopWatch();
  watch.start();
  const { statusCode } = await running.app.inject(options);
  watch.stop();
  // Wrong proofs of one address are limited.
  running.time.advance(60_000);
  return [watch.longestMs, statusCode];
}

const slowest = new Map<string, number>();
afterAll(() => {
  if (every === 1) console.table([...slowest].map(([parser, ms]) => ({ parser, 'longest ms': Math.round(ms) })));
});

it.each([...parsers])(
  '%s of the largest size holds the service for less than a quarter of a second',
  async (parser, all) => {
    expect(all.length).toBeGreaterThanOrEqual(50);
    for (const [index, shape] of all.entries()) {
      if ((index + names.indexOf(parser)) % every !== 0) continue;
      if (every === 1) await collectAll();
      let [ms, status] = await held(shape);
      for (let run = 1; ms > limitMs && run < mostRuns; run += 1) [ms, status] = await held(shape);
      expect([shape.name, status < 500, ms < limitMs ? 'in time' : `${ms} ms`]).toEqual([shape.name, true, 'in time']);
      slowest.set(parser, Math.max(slowest.get(parser) ?? 0, ms));
    }
  },
  600_000,
);
