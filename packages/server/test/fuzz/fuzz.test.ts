import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type OpenapiDocument, type Operation, operationsOf, type Schema } from '../support/openapi.ts';
import { counted, reached } from '../support/reached.ts';
import { WholeApp } from '../support/whole-app.ts';
import { Checks } from './checks.ts';
import { Requests, type Step } from './requests.ts';
import { Session } from './session.ts';

/** The number of requests: `npm run test:fuzz` sends 20,000. */
const wanted = Number(process.env.FUZZ_REQUESTS ?? 2_000);

/** The values that a failure printed, to repeat it: `FUZZ_SEED=… FUZZ_PATH=… npm run test:fuzz`. */
const replay = {
  ...(process.env.FUZZ_SEED !== undefined && { seed: Number(process.env.FUZZ_SEED) }),
  ...(process.env.FUZZ_PATH !== undefined && { path: process.env.FUZZ_PATH }),
};

/** Requests per service: enough for objects to be created, used, changed and deleted. */
const perSession = 100;

let document: OpenapiDocument;
let operations: readonly Operation[];
let requests: Requests;

beforeAll(async () => {
  const whole = await WholeApp.start();
  document = await whole.document();
  operations = operationsOf(document);
  const member = await whole.member('reader');
  const catalogue = (await member.get('/api/v1/workflows/node-types/')).body;
  requests = new Requests(document, catalogue as Record<string, { config_schema: Schema }>);
  await whole.close();
});

async function runSequence(
  checks: Checks,
  steps: readonly Step[],
  count: (step: Step, status: number) => void,
): Promise<void> {
  const session = await Session.start(checks);
  try {
    for (const step of steps) count(step, await session.send(step));
  } finally {
    await session.close();
  }
}

describe('any requests of two users', () => {
  test('are answered as the OpenAPI document describes, and never with an internal error', async () => {
    const statuses = new Map<string, Map<number, number>>();
    const checks = new Checks(document);
    let sent = 0;
    let isShrinking = false;
    const count = ({ operation }: Step, status: number): void => {
      sent += 1;
      const own = statuses.get(operation.name) ?? new Map<number, number>();
      statuses.set(operation.name, own.set(status, (own.get(status) ?? 0) + 1));
    };
    const sequence = fc.array(requests.any(operations), { minLength: 1, maxLength: perSession, size: 'max' });
    await fc.assert(
      fc.asyncProperty(sequence, async (steps) => {
        if (sent >= wanted && !isShrinking) return;
        try {
          await runSequence(checks, steps, count);
        } catch (error) {
          isShrinking = true;
          throw error;
        }
      }),
      // Sequences have random lengths, so this many are more than enough.
      { numRuns: Math.ceil(wanted / 5), ...replay },
    );
    report(statuses);
    expect(sent).toBeGreaterThanOrEqual(wanted);
    const all = [...statuses.values()].flatMap((own) => [...own]);
    const taken = all.filter(([status]) => status < 300).reduce((sum, [, times]) => sum + times, 0);
    // If most requests fail early, the test shows little.
    expect(taken / sent).toBeGreaterThan(0.3);
    const share = Math.round((100 * taken) / sent);
    reached('P1', `${counted(sent)} requests, ${share} % answered with 2xx, none with 5xx`);
    // Each endpoint succeeded at least once. Which ones a run misses is random, and a short run misses more.
    if (wanted < 20_000) return;
    const isSuccess = (status: number): boolean => status < 300;
    const never = operations.filter(({ name }) => ![...(statuses.get(name)?.keys() ?? [])].some(isSuccess));
    expect(never.map(({ name }) => name)).toEqual([]);
    // 20,000 requests take four minutes on a machine that does nothing else.
  }, 1_800_000);
});

describe('an undocumented method', () => {
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

  test('does not exist on any path', async () => {
    const whole = await WholeApp.start();
    try {
      const member = await whole.member('first');
      for (const [path, documented] of Object.entries(document.paths)) {
        for (const method of methods.filter((name) => !Object.hasOwn(documented, name.toLowerCase()))) {
          const { status } = await member.inject({ method, url: path.replaceAll(/[{}]/g, '') });
          expect([method, path, status]).toEqual([method, path, expect.toSatisfy((n) => n === 404 || n === 405)]);
        }
      }
    } finally {
      await whole.close();
    }
  });
});

function report(statuses: ReadonlyMap<string, ReadonlyMap<number, number>>): void {
  if (process.env.FUZZ_REPORT === undefined) return;
  const line = ([name, own]: readonly [string, ReadonlyMap<number, number>]): string =>
    `${name.padEnd(60)} ${[...own]
      .sort()
      .map(([status, times]) => `${status}:${times}`)
      .join(' ')}`;
  console.log([...statuses].sort().map(line).join('\n'));
}
