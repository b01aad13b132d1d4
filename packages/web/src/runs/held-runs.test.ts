import { expect, test } from 'vitest';
import type { Execution } from '../api/executions.ts';
import { heldRuns } from './held-runs.ts';

const run = (execution_id: string, status = 'running') => ({ execution_id, status }) as Execution;

test('runs that started meanwhile are counted, and the shown rows get their newest state', () => {
  const shown = [run('b'), run('a')];
  const held = heldRuns(shown, [run('d'), run('c'), run('b', 'completed'), run('a')]);
  expect(held.newer).toBe(2);
  expect(held.rows.map(({ execution_id: id, status }) => `${id} ${status}`)).toEqual(['b completed', 'a running']);
});

test('a row that is no longer among the latest stays as it was', () => {
  expect(heldRuns([run('b'), run('a')], [run('c'), run('b')])).toEqual({ rows: [run('b'), run('a')], newer: 1 });
  expect(heldRuns([run('a')], [run('c'), run('b')]).newer).toBe(2);
  expect(heldRuns([], [])).toEqual({ rows: [], newer: 0 });
});
