import type { Pause } from '@millrace/core';
import { describe, expect, test } from 'vitest';
import { attempted, perform } from './step.testkit.ts';
import { wait } from './wait.ts';

const now = Date.UTC(2026, 2, 1, 12);

describe('a wait', () => {
  test.each([
    [{ duration: 10 }, 10_000],
    [{ duration: 0.5 }, 500],
    [{ duration: 2, unit: 'minutes' }, 120_000],
    [{ duration: '{{ 3 / 2 }}', unit: 'hours' }, 5_400_000],
    [{ duration: 3, unit: 'days' }, 3 * 86_400_000],
    [{ until: '2026-03-01T13:00:00' }, 3_600_000],
    [{ until: '2026-03-01T13:00:00+01:00' }, 0],
    [{ until: '13:00' }, 3_600_000],
    [{ until: '2026-03-01 13:00' }, 3_600_000],
    [{ until: now + 60_000 }, 60_000],
  ])('of %j lasts %i ms', async (config, ms) => {
    const outcome = await attempted(wait, { config, now, input: 1 });
    if (ms === 0) expect(outcome).toEqual({ outputs: { output: 1 } });
    else {
      const pause = { kind: 'timer', until: now + ms, ...('duration' in config && { isDuration: true }) };
      expect(outcome).toEqual({ pause });
    }
  });

  test('of no time or until a past time does not pause', async () => {
    for (const config of [{ duration: 0 }, { until: '2020-01-01' }]) {
      expect(await perform(wait, { config, now, input: { a: 1 } })).toEqual({ outputs: { output: { a: 1 } } });
    }
  });

  test.each([
    [{}, "one of 'duration', 'until' and 'callback'"],
    [{ duration: 1, until: now }, "one of 'duration', 'until' and 'callback'"],
    [{ callback: true, duration: 1 }, "one of 'duration', 'until' and 'callback'"],
    [{ until: 'tomorrow' }, "'until' must be a time"],
    [{ duration: 90_000, unit: 'days' }, 'within a hundred years'],
  ])('with %j fails and gives the reason', async (config, reason) => {
    await expect(attempted(wait, { config, now })).rejects.toThrow(reason);
  });

  test.each([
    [{}, false],
    [{ duration: 0 }, true],
    [{ unit: 'days' }, false],
    [{ until: now }, true],
    [{ duration: 1, until: now }, false],
    [{ callback: true }, true],
    [{ callback: false }, false],
    [{ callback: false, until: now }, true],
    [{ callback: true, duration: 1 }, false],
  ])('with %j passes the check, or lacks something: %s', async (config, isEnough) => {
    expect(wait.lacks?.(config) ?? null).toEqual(isEnough ? null : expect.stringContaining("one of 'duration'"));
    const outcome = attempted(wait, { config, now });
    await (isEnough ? expect(outcome).resolves.toBeDefined() : expect(outcome).rejects.toThrow('one of'));
  });

  test.each([
    [{ callback: '{{ x }}' }, true],
    [{ callback: '{{ x }}', duration: '{{ y }}' }, true],
    [{ callback: '{{ x }}', duration: 1, until: now }, false],
  ])('with %j, which contains an expression, passes the check or not: %s', (config, isEnough) => {
    expect(wait.lacks?.(config) === null).toBe(isEnough);
  });

  test.each([
    ['2030-01-01', true],
    ['{{ trigger.payload.at }}', true],
    [1_900_000_000_000, true],
    ['tomorrow', false],
  ])('until %s has a valid time, or fails the check: %s', (until, isTime) => {
    const words = expect.stringMatching(/^must be a time .* but it is text that is not a time$/);
    const issue = { path: ['until'], severity: 'error', message: words };
    expect(wait.issues?.({ until })).toEqual(isTime ? [] : [issue]);
  });

  const pause: Pause = { kind: 'callback', tokenHash: '', until: null };

  test('for a callback outputs the body of its request', async () => {
    expect(await attempted(wait, { config: { callback: true } })).toEqual({ pause: { kind: 'callback' } });
    const answer = { kind: 'call', body: { ok: 1 } } as const;
    expect(wait.resume?.({ input: 'in', pause, answer })).toEqual({ outputs: { output: { ok: 1 } } });
  });

  test('for a time outputs its input, but fails if a callback does not arrive or the timeout is shorter', () => {
    const time = { kind: 'time' } as const;
    const timer: Pause = { kind: 'timer', until: now };
    expect(wait.resume?.({ input: 'in', pause: timer, answer: time })).toEqual({ outputs: { output: 'in' } });
    expect(() => wait.resume?.({ input: 'in', pause, answer: time })).toThrow('was not called');
    const cut: Pause = { ...timer, isCutShort: true };
    expect(() => wait.resume?.({ input: 'in', pause: cut, answer: time })).toThrow('longer than timeout_seconds');
  });
});
