import { describe, expect, test } from 'vitest';
import type { Workflow } from '../api/workflows.ts';
import { hourBars, rowsOf, shownRows, stateCounts, tagCounts } from './list-rows.ts';
import { filterCount, workflowsSearch as searchOf } from './list-search.ts';

function workflow(id: number, fields: Partial<Workflow>): Workflow {
  return {
    ...({ id, slug: `w${id}`, tags: null, is_active: true, published_version: null } as Workflow),
    has_unpublished_changes: false,
    updated_at: `2026-01-0${id}T00:00:00.000000`,
    ...fields,
  };
}

function activity(id: number, status: 'completed' | 'failed', day: number) {
  const at = `2026-02-0${day}T00:00:00.000000`;
  const last = { execution_id: `e${id}`, status, accepted_at: at, completed_at: at };
  const none = { trigger_types: [], next_fire_at: null, last_failed_execution_id: null, hours: [] };
  return { workflow_id: id, workflow_slug: `w${id}`, last_execution: last, ...none };
}

const rows = rowsOf(
  [
    workflow(1, { name: 'Orders 10', tags: ['shop', 'ops'] }),
    workflow(2, { name: 'orders 9', tags: ['shop'], is_active: false }),
    workflow(3, { name: 'Alerts', slug: 'pager', published_version: 2, has_unpublished_changes: true }),
  ],
  [activity(1, 'failed', 2), activity(2, 'completed', 3)],
);
const slugs = (search: Parameters<typeof shownRows>[1]) => shownRows(rows, search).map(({ workflow: { id } }) => id);

describe('the list of workflows', () => {
  test('shows the last changed workflow first', () => {
    expect(slugs({})).toEqual([3, 2, 1]);
    expect(slugs({ reverse: true })).toEqual([1, 2, 3]);
  });

  test('finds a name however its accents are typed', () => {
    const [row] = rows;
    if (row === undefined) throw new Error('There is no row.');
    const named = (name: string) => [{ ...row, workflow: { ...row.workflow, name } }];
    expect(shownRows(named('Café'), { q: 'cafe\u0301' })).toHaveLength(1);
    expect(shownRows(named('Cafe\u0301'), { q: 'CAFE' })).toHaveLength(1);
    expect(shownRows(named('Café'), { q: 'tea' })).toHaveLength(0);
  });

  test('orders names by their numbers, and workflows without runs after the others', () => {
    expect(slugs({ sort: 'name' })).toEqual([3, 2, 1]);
    expect(slugs({ sort: 'run' })).toEqual([2, 1, 3]);
  });

  test.each([
    [{ q: 'PAGER' }, [3]],
    [{ q: 'op' }, [2, 1]],
    [{ tags: ['shop', 'ops'] }, [1]],
    [{ state: 'failing' }, [1]],
    [{ state: 'inactive' }, [2]],
    [{ state: 'unpublished' }, [3]],
    [{ state: 'failing', q: 'alerts' }, []],
  ] as const)('limits it to %j', (search, expected) => {
    expect(slugs(search)).toEqual(expected);
  });

  test('counts the workflows of each tag and state', () => {
    expect(tagCounts(rows)).toEqual([
      ['shop', 2],
      ['ops', 1],
    ]);
    expect(stateCounts(rows)).toEqual({ failing: 1, unpublished: 1, inactive: 1 });
  });
});

describe('the last 24 hours', () => {
  test('end with the current hour', () => {
    const now = Date.parse('2026-01-02T12:30:00Z');
    const hour = (starts_at: string) => ({ starts_at, completed: 3, failed: 1, cancelled: 9 });
    const hours = ['2026-01-01T12:00:00.000000', '2026-01-01T13:00:00.000000', '2026-01-02T12:00:00.000000'].map(hour);
    const bars = hourBars({ hours }, now);
    expect(bars).toHaveLength(24);
    expect(bars.flatMap(({ succeeded, failed }, index) => (succeeded + failed > 0 ? [index] : []))).toEqual([0, 23]);
    expect(bars[23]).toEqual({ succeeded: 3, failed: 1 });
  });
});

/** The router adds a mark to the type of its input. */
const workflowsSearch = (input: object) => searchOf(input as Parameters<typeof searchOf>[0]);

describe('the address of the list', () => {
  test('leaves out what is unknown', () => {
    expect(workflowsSearch({ q: '', tags: 'x', state: 'odd', sort: 'odd', reverse: 1, page: 1 })).toEqual({});
    const search = { q: 'a', tags: ['x'], state: 'failing', sort: 'name', reverse: true, page: 2 } as const;
    expect(workflowsSearch({ ...search, tags: ['x'] })).toEqual(search);
    expect(filterCount(search)).toBe(3);
    expect(workflowsSearch({ q: 12 })).toEqual({ q: '12' });
  });
});
