import { describe, expect, test } from 'vitest';
import type { ExecutionDetail, ExecutionLog } from '../../api/executions.ts';
import { frameParts, stepKey, stepTree } from './step-tree.ts';
import { timeScale } from './time-scale.ts';
import { clockOf, segmentsOf, spanOf } from './timeline.ts';
import { closedAround, waterfallRows } from './waterfall-rows.ts';

const base = Date.parse('2026-01-01T00:00:00Z');
const at = (ms: number): string => new Date(base + ms).toISOString().slice(0, -1);

let nextId = 0;
function log(node_id: string, fields: Partial<ExecutionLog> & { from?: number; to?: number }): ExecutionLog {
  nextId += 1;
  const { from = 0, to = from, ...rest } = fields;
  return {
    id: nextId,
    node_id,
    frame: '',
    attempt: 1,
    status: 'success',
    queued_at: at(from),
    started_at: at(from),
    ended_at: at(to),
    duration_ms: to - from,
    timestamp: at(to),
    ...rest,
  } as ExecutionLog;
}

const execution = (logs: ExecutionLog[], completed: number | null = null) =>
  ({ accepted_at: at(0), completed_at: completed === null ? null : at(completed), logs }) as ExecutionDetail;
const clock = clockOf(execution([], 100_000), 0);

describe('the bar of a step', () => {
  test('shows the queue, each attempt and the pause between them', () => {
    const [step] = stepTree([
      log('fetch', { queued_at: at(0), from: 40, to: 100, status: 'failed' }),
      log('fetch', { queued_at: at(1100), from: 1150, to: 1200, attempt: 2 }),
    ]);
    expect(step && segmentsOf(step, clock)).toEqual([
      { kind: 'queued', from: 0, to: 40 },
      { kind: 'failed', from: 40, to: 100 },
      { kind: 'pause', from: 100, to: 1100 },
      { kind: 'queued', from: 1100, to: 1150 },
      { kind: 'success', from: 1150, to: 1200 },
    ]);
  });

  test('shows how long a step waited, and that it still waits', () => {
    const waited = log('pause', { from: 10, to: 5010, duration_ms: 1 });
    expect(segmentsOf({ attempts: [waited], running: null }, clock)).toEqual([
      { kind: 'waiting', from: 10, to: 5009 },
      { kind: 'success', from: 5009, to: 5010 },
    ]);
    const waits = log('ask', { from: 10, status: 'waiting', ended_at: null, duration_ms: 0 });
    const open = clockOf(execution([]), base + 700);
    expect(segmentsOf({ attempts: [waits], running: null }, open)).toEqual([{ kind: 'waiting', from: 10, to: 700 }]);
  });

  test('of an agent is the time of its calls, and not a wait', () => {
    const calls = [
      log('gpt', { frame: 'ai[0]', from: 10, to: 900 }),
      log('calc', { frame: 'ai[1]', from: 900, to: 950 }),
    ];
    const [agent] = stepTree([...calls, log('ai', { from: 10, to: 1000, duration_ms: 1 })]);
    expect(agent && segmentsOf(agent, clock)).toEqual([{ kind: 'success', from: 10, to: 1000 }]);
  });

  test('shows an attempt in progress until now, and not after it has ended', () => {
    const running = { node_id: 'fetch', frame: '', attempt: 1, since: base + 20 };
    const open = clockOf(execution([]), base + 90);
    const [step] = stepTree([], [running]);
    expect(step && segmentsOf(step, open)).toEqual([{ kind: 'running', from: 20, to: 90 }]);
    expect(stepTree([log('fetch', { from: 20, to: 50 })], [running])[0]?.running).toBeNull();
  });
});

describe('the tree of steps', () => {
  const frames = Array.from({ length: 20 }, (_, index) => `each[${index}]`);
  const logs = [
    log('list', { from: 0, to: 5 }),
    ...frames.map((frame, index) => log('line', { frame, from: 10 + index, to: 11 + index })),
    log('inner', { frame: 'each[3]/deep[1]', from: 14, to: 15, status: 'failed' }),
    log('each', { from: 6, to: 40 }),
    log('total', { from: 41, to: 42 }),
  ];

  test('nests the steps of each iteration below their loop', () => {
    const tree = stepTree(logs);
    expect(tree.map(({ nodeId }) => nodeId)).toEqual(['list', 'each', 'total']);
    expect(tree[1]?.iterations.length).toBe(20);
    const third = tree[1]?.iterations.find(({ index }) => index === 3);
    expect(third?.steps.map(({ nodeId }) => nodeId)).toEqual(['line', 'deep']);
    expect(third && spanOf(third, clock)).toEqual({ kind: 'failed', from: 13, to: 15 });
  });

  test('an iteration has failed only if the last attempt of a step in it failed', () => {
    const frame = 'each[0]';
    const first = log('fetch', { frame, from: 1, to: 2, status: 'failed' });
    const iterationOf = (all: ExecutionLog[]) => stepTree(all)[0]?.iterations[0];
    const failed = iterationOf([first]);
    const retried = iterationOf([first, log('fetch', { frame, from: 5, to: 9, attempt: 2 })]);
    expect(failed && spanOf(failed, clock).kind).toBe('failed');
    expect(retried && spanOf(retried, clock)).toEqual({ kind: 'success', from: 1, to: 9 });
  });

  test('an iteration waits as long as a step in it does', () => {
    const [agent] = stepTree([log('refund', { frame: 'ai[1]', from: 5, status: 'waiting', ended_at: null })]);
    const [call] = agent?.iterations ?? [];
    expect(call && spanOf(call, clock).kind).toBe('waiting');
  });

  test('iterations are in the order of their numbers, in whatever order they began', () => {
    const [loop] = stepTree(
      [2, 0, 1].map((index) => log('line', { frame: `each[${index}]`, from: index === 2 ? 0 : 9 })),
    );
    expect(loop?.iterations.map(({ index }) => index)).toEqual([0, 1, 2]);
  });

  test('a frame names its loop, its iteration and the frame around it', () => {
    expect(frameParts('orders[2]/lines[0]')).toEqual({ outer: 'orders[2]', loop: 'lines', index: 0 });
  });

  test('a large loop starts closed unless a step in it failed, and its rows open by their key', () => {
    const calm = stepTree(logs.filter(({ status }) => status !== 'failed'));
    const all = { text: '', isOnlyFailed: false };
    expect(waterfallRows(calm, new Set(), all).length).toBe(3);
    expect(waterfallRows(calm, new Set([stepKey('', 'each')]), all).length).toBe(23);
    const failed = waterfallRows(stepTree(logs), new Set(), all);
    expect(failed.some(({ node }) => node.kind === 'step' && node.nodeId === 'inner')).toBe(true);
  });

  test('a filter shows the matching steps and the rows above them', () => {
    const rows = waterfallRows(stepTree(logs), new Set(), { text: '', isOnlyFailed: true });
    expect(rows.map(({ key }) => key.trim())).toEqual([
      'each',
      'each[3]',
      'each[3] deep',
      'each[3]/deep[1]',
      'each[3]/deep[1] inner',
    ]);
    expect(waterfallRows(stepTree(logs), new Set(), { text: 'TOT', isOnlyFailed: false }).length).toBe(1);
  });

  test('the rows around a step are opened to show it', () => {
    const calm = stepTree(logs.filter(({ status }) => status !== 'failed'));
    const closed = closedAround(calm, stepKey('each[7]', 'line'));
    expect(closed).toEqual([stepKey('', 'each'), 'each[7]']);
    const rows = waterfallRows(calm, new Set(closed), { text: '', isOnlyFailed: false });
    expect(rows.some(({ key }) => key === stepKey('each[7]', 'line'))).toBe(true);
  });
});

describe('the time scale', () => {
  test('is linear while no step waits long', () => {
    const scale = timeScale(1000, [{ from: 0, to: 1000 }]);
    expect(scale.gaps).toEqual([]);
    expect(scale.position(250)).toBeCloseTo(0.25);
  });

  test('collapses an idle stretch of more than 30 % and keeps the order of times', () => {
    const hours = 3_600_000;
    const scale = timeScale(2 * hours, [
      { from: 0, to: 5000 },
      { from: 2 * hours - 5000, to: 2 * hours },
    ]);
    expect(scale.gaps).toMatchObject([{ from: 5000, to: 2 * hours - 5000 }]);
    expect(scale.position(5000)).toBeCloseTo(0.475);
    expect(scale.position(2 * hours - 5000)).toBeCloseTo(0.525);
    expect(scale.position(2 * hours)).toBeCloseTo(1);
    const times = Array.from({ length: 100 }, (_, index) => scale.position((index * 2 * hours) / 99));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(scale.ticks.length).toBeLessThan(12);
  });

  test('does not collapse idle stretches of less than a second', () => {
    expect(timeScale(900, [{ from: 0, to: 10 }]).gaps).toEqual([]);
  });
});
