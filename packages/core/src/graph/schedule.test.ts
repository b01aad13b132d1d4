import { describe, expect, it, test } from 'vitest';
import { firesToRun, maxMadeUp, schedulePolicies, timingOf } from './schedule.ts';

const now = Date.UTC(2026, 0, 1, 12);
const minute = 60_000;

describe('fires that are due', () => {
  const due = [now - 120 * minute, now - 90 * minute, now - 5];

  test.each([
    ['skip', [now - 5]],
    ['latest', [now - 5]],
    ['all', due],
  ] as const)('start runs according to %s', (missed, expected) => {
    expect(firesToRun(due, missed, now)).toEqual(expected);
  });

  it('are missed after more than a minute', () => {
    expect(firesToRun([now - minute], 'skip', now)).toEqual([now - minute]);
    expect(firesToRun([now - minute - 1], 'skip', now)).toEqual([]);
    expect(firesToRun([now - minute - 1], 'latest', now)).toEqual([now - minute - 1]);
  });

  it('are made up for by the latest runs, up to a limit', () => {
    const many = Array.from({ length: maxMadeUp + 20 }, (_, index) => now - (maxMadeUp + 20 - index) * minute);
    expect(firesToRun(many, 'all', now)).toEqual(many.slice(20));
  });
});

describe('the part of a node that determines its times', () => {
  const node = (config: object, common: object = {}) => ({ config: { ...common, extra_config: { ...config } } });

  it('is its cron, interval and time zone, and nothing else', () => {
    expect(timingOf(node({ cron: '@daily', timezone: 'Europe/Berlin', overlap: 'skip' }))).toEqual({
      cron: '@daily',
      timezone: 'Europe/Berlin',
    });
    expect(timingOf({ config: {} })).toEqual({});
  });

  it('is null while the node is inactive', () => {
    expect(timingOf(node({ cron: '@daily' }, { is_active: false }))).toBeNull();
  });

  it('does not include the defaults of the policies', () => {
    expect(schedulePolicies({ cron: '@daily' })).toEqual({ missed: 'skip', overlap: 'skip', payload: {} });
    expect(schedulePolicies({ missed: 'all', overlap: 'parallel', trigger_payload: { a: 1 } })).toEqual({
      missed: 'all',
      overlap: 'parallel',
      payload: { a: 1 },
    });
  });
});
