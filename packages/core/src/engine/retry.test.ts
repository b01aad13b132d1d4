import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nodeConfig } from '../component/node-config.ts';
import type { Policies } from '../component/policies.ts';
import { type ErrorCode, errorTable } from '../errors.ts';
import { isRetried, retryDelay, retryRule } from './retry.ts';

const rule = (policies: Policies = {}, config: object = {}, effect: 'pure' | 'once' = 'pure') =>
  retryRule({ policies, common: nodeConfig.parse(config), effect });

const permanent = [
  'config',
  'expression',
  'missing_connection',
  'code_syntax',
  'credential_missing',
  'credential_locked',
  'credential_unfit',
  'credential_origin',
];
const stepCodes = Object.entries(errorTable).flatMap(([code, { kind }]) =>
  kind === 'step' ? [code as ErrorCode] : [],
);

describe('the failures that are retried', () => {
  test.each(stepCodes)("with a node's own policy are those that may succeed later: %s", (code) => {
    for (const isTransient of [true, false]) {
      const failure = { code, isTransient };
      const mayChange = !permanent.includes(code);
      expect(isRetried(rule({ retry: { max_attempts: 2 } }), failure)).toBe(mayChange);
      expect(isRetried(rule({ retry: { on: 'any' } }, {}, 'once'), failure)).toBe(mayChange);
      expect(isRetried(rule({ retry: { on: 'transient' } }), failure)).toBe(mayChange && isTransient);
      expect(isRetried(rule(), failure)).toBe(mayChange && isTransient);
      expect(isRetried(rule({}, { max_retries: 5 }), failure)).toBe(mayChange && isTransient);
    }
  });
});

describe('the retry rule', () => {
  test('is three attempts with exponential delays if a node sets nothing', () => {
    const plain = { ...rule(), jitter: false };
    expect([1, 2, 3].map((attempt) => retryDelay(plain, attempt, 0))).toEqual([1000, 2000, null]);
  });

  test('never repeats a step that may happen only once', () => {
    expect(retryDelay(rule({}, {}, 'once'), 1, 0)).toBeNull();
  });

  test('treats max_retries as the number of further attempts', () => {
    const three = rule({}, { max_retries: 3 }, 'once');
    expect([1, 2, 3, 4].map((attempt) => retryDelay(three, attempt, 0) === null)).toEqual([false, false, false, true]);
  });

  test('prefers the policy over max_retries, key by key', () => {
    expect(rule({ retry: { delay_ms: 5 } }, { max_retries: 1 })).toMatchObject({ max_attempts: 2, delay_ms: 5 });
    expect(rule({ retry: { max_attempts: 7 } }, { max_retries: 1 }).max_attempts).toBe(7);
  });

  test('has constant delays if they are fixed', () => {
    const fixed = rule({ retry: { backoff: 'fixed', jitter: false, delay_ms: 70, max_attempts: 5 } });
    expect([1, 2, 3].map((attempt) => retryDelay(fixed, attempt, 0))).toEqual([70, 70, 70]);
  });

  test('limits the delay to its maximum, and jitter reduces it by at most half', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 19 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempt, random) => {
          const patient = rule({ retry: { max_attempts: 20, max_delay_ms: 10_000 } });
          const full = Math.min(1000 * 2 ** (attempt - 1), 10_000);
          const pause = retryDelay(patient, attempt, random) ?? Number.NaN;
          expect(pause).toBeLessThanOrEqual(full);
          expect(pause).toBeGreaterThanOrEqual(full / 2);
        },
      ),
    );
  });
});

describe('a step that is not repeatable', () => {
  const byDefault = retryRule({ policies: {}, common: nodeConfig.parse({}), effect: 'keyed', isRepeatable: false });

  test('is retried only if the receiver said that it has done nothing', () => {
    const failure = { code: 'http_status', isTransient: true } as const;
    expect(isRetried(byDefault, failure)).toBe(false);
    expect(isRetried(byDefault, { ...failure, isNotPerformed: true })).toBe(true);
    expect(isRetried(byDefault, { code: 'step_timeout', isTransient: true })).toBe(false);
  });

  test.each([{ retry: {} }, { retry: { on: 'transient' } }] as const)('is retried by its policy %j', (policies) => {
    const rule = retryRule({ policies, common: nodeConfig.parse({}), effect: 'keyed', isRepeatable: false });
    expect(isRetried(rule, { code: 'http_connection', isTransient: true })).toBe(true);
  });
});
