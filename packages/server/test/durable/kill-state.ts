import { join } from 'node:path';
import type { Json } from '@millrace/core';
import Database from 'better-sqlite3';

/** The nodes of a workflow whose runs compete for a few values of state: counters, lists, marks and the last run. */
export const stateNodes = {
  count: ['state', { operation: 'increment', key: 'total' }],
  list: ['state', { operation: 'append', key: 'list-{{ trigger.payload.n }}', value: '{{ run.id }}' }],
  mark: ['state', { operation: 'first_seen', key: 'mark-{{ trigger.payload.n }}', value: '{{ run.id }}' }],
  last: ['state', { operation: 'set', key: 'last', value: '{{ run.id }}' }],
} as const;

/** A change that the journal calls committed. */
interface Change {
  readonly run: string;
  readonly value: Json;
  readonly isNew: boolean;
}

/**
 * What is wrong with the stored values, one line each: every committed step must have changed its value exactly once.
 * The service must have been stopped.
 */
export function stateViolations(dataDir: string): string[] {
  const database = new Database(join(dataDir, 'millrace.db'), { readonly: true });
  try {
    const changes = Map.groupBy(readChanges(database), ({ nodeId }) => nodeId);
    const of = (node: keyof typeof stateNodes): readonly Change[] => changes.get(node) ?? [];
    const stored = readValues(database);
    if (of('count').length === 0) return ['no run changed state'];
    return [
      ...violationsOfCounter(of('count'), stored.get('total')),
      ...violationsOfLists(of('list'), valuesOf(stored, 'list-')),
      ...violationsOfMarks(of('mark'), valuesOf(stored, 'mark-')),
      ...violationsOfLast(of('last'), stored.get('last')),
    ];
  } finally {
    database.close();
  }
}

/** Each of the n steps saw another number from 1 to n. */
function violationsOfCounter(changes: readonly Change[], stored: Json | undefined): string[] {
  const seen = new Set(changes.map(({ value }) => value));
  const missing = changes.flatMap((_change, index) => (seen.has(index + 1) ? [] : [`no step counted to ${index + 1}`]));
  return stored === changes.length ? missing : [...missing, `${changes.length} steps counted to ${stored}`];
}

/** Each run is in one list, once, and its step saw the list up to itself. */
function violationsOfLists(changes: readonly Change[], stored: readonly Json[]): string[] {
  const listed = stored.flatMap((list, at) => (list as string[]).map((run, index) => ({ run, at, index })));
  const byRun = Map.groupBy(listed, ({ run }) => run);
  const wrong = changes.flatMap(({ run, value }) => {
    const [place, another] = byRun.get(run) ?? [];
    if (place === undefined || another !== undefined) return [`${run} is listed ${byRun.get(run)?.length ?? 0} times`];
    const list = (stored[place.at] as string[]).slice(0, place.index + 1);
    return JSON.stringify(list) === JSON.stringify(value) ? [] : [`${run} saw another list than the stored one`];
  });
  return listed.length === changes.length ? wrong : [...wrong, `${changes.length} steps listed ${listed.length} runs`];
}

/** The first run with a key left its mark, and each later one saw it. */
function violationsOfMarks(changes: readonly Change[], stored: readonly Json[]): string[] {
  const marks = new Set(stored);
  const wrong = changes.filter(({ run, value, isNew }) => !marks.has(value) || isNew !== (value === run));
  const lines = wrong.map(({ run, value, isNew }) => `${run} saw the mark of ${value}, ${isNew ? 'new' : 'known'}`);
  const count = changes.filter(({ isNew }) => isNew).length;
  return count === stored.length ? lines : [...lines, `${count} steps left ${stored.length} marks`];
}

/** Each run stored its own id, and only the first one found no value. */
function violationsOfLast(changes: readonly Change[], stored: Json | undefined): string[] {
  const wrong = changes.filter(({ run, value }) => run !== value).map(({ run }) => `${run} stored another run`);
  const count = changes.filter(({ isNew }) => isNew).length;
  const isKnown = changes.some(({ run }) => run === stored);
  return [
    ...wrong,
    ...(count === 1 ? [] : [`${count} runs were the first`]),
    ...(isKnown ? [] : [`${stored} was last`]),
  ];
}

function valuesOf(stored: ReadonlyMap<string, Json>, prefix: string): readonly Json[] {
  return [...stored].flatMap(([key, value]) => (key.startsWith(prefix) ? [value] : []));
}

function readValues(database: Database.Database): ReadonlyMap<string, Json> {
  const rows = database.prepare<[], { key: string; value: string }>('SELECT key, value FROM state_values').all();
  return new Map(rows.map(({ key, value }) => [key, JSON.parse(value) as Json]));
}

function readChanges(database: Database.Database): readonly (Change & { readonly nodeId: string })[] {
  const names = Object.keys(stateNodes);
  const rows = database
    .prepare<string[], { run: string; nodeId: string; outputs: string }>(
      `SELECT execution_id AS run, head.value ->> 2 AS nodeId,
         json_extract(data, '$[' || head.key || '].outputs') AS outputs
       FROM journal, json_each(heads) AS head
       WHERE head.value ->> 0 = 'step_succeeded' AND head.value ->> 2 IN (${names.map(() => '?').join(', ')})`,
    )
    .all(...names);
  return rows.map(({ run, nodeId, outputs }) => {
    const { value, is_new: isNew } = JSON.parse(outputs) as { value: Json; is_new: boolean };
    return { run, nodeId, value, isNew };
  });
}
