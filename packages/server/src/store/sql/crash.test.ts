import { copyFileSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { counted, reached } from '../../../test/support/reached.ts';
import type { Store } from '../store.ts';
import { appendOf, claim, completed, newExecution, newWorkflow, stepSucceeded } from '../testsuite/world.ts';
import { openSqliteStore } from './sqlite.ts';

/** Fifty here; `npm run promises -- --release` cuts 5,000. */
const cutLogs = Number(process.env.CUT_LOGS ?? 50);

describe('after a crash', () => {
  let folder: string;
  let path: string;
  let store: Store;
  let copies = 0;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-crash-'));
    path = join(folder, 'millrace.db');
    store = openSqliteStore({ path });
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  /** The files as a process that dies now would leave them: no checkpoint, no close. */
  function crash(): string {
    copies += 1;
    const copy = join(folder, `crash-${copies}.db`);
    copyFileSync(path, copy);
    copyFileSync(`${path}-wal`, `${copy}-wal`);
    return copy;
  }

  test('everything that was acknowledged is there, at every commit boundary', async () => {
    const workflow = await newWorkflow(store);
    const ids: string[] = [];
    const boundary = async () => {
      const restarted = openSqliteStore({ path: crash() });
      expect(await shown(restarted, ids)).toEqual(await shown(store, ids));
      expect(await restarted.executions.openCount()).toBe(await store.executions.openCount());
      expect(await restarted.workflows.byId(workflow.id)).toEqual(workflow);
      await restarted.close();
    };
    for (let round = 0; round < 4; round += 1) {
      const accepts = [1, 2, 3].map(() => store.executions.accept(newExecution(workflow)));
      ids.push(...(await Promise.all(accepts)).map(({ id }) => id));
      await boundary();
      const [finishing, stepping] = await claim(store, { limit: 2 });
      await boundary();
      if (finishing === undefined || stepping === undefined) throw new Error('nothing to claim');
      await Promise.all([
        store.executions.append(appendOf(finishing, [stepSucceeded('a'), completed()])),
        store.executions.append(appendOf(stepping, [stepSucceeded('a')])),
      ]);
      await boundary();
    }
  });

  test('a restarted process takes over running runs with their journals, and the former owner is rejected', async () => {
    const workflow = await newWorkflow(store);
    const { id } = await store.executions.accept(newExecution(workflow));
    const [run] = await claim(store);
    if (run === undefined) throw new Error('nothing to claim');
    await store.executions.append(appendOf(run, [stepSucceeded('a')]));
    const restarted = openSqliteStore({ path: crash() });
    expect(await restarted.executions.openCount()).toBe(1);
    expect(await restarted.executions.recover()).toBe(1);
    expect(await claim(restarted, { owner: 'worker-2' })).toMatchObject([{ id, epoch: 2, journal: [{ seq: 1 }] }]);
    expect(await restarted.executions.append(appendOf(run, [completed()], 1))).toBe('lost');
    await restarted.close();
  });

  test('a log that is cut off at any byte contains whole transactions only', {
    timeout: 120_000 + cutLogs * 100,
  }, async () => {
    await liveFiveRounds(store);
    const whole = crash();
    const size = statSync(`${whole}-wal`).size;
    fc.assert(
      fc.property(fc.nat({ max: size }), (length) => {
        const torn = join(folder, 'torn.db');
        for (const suffix of ['', '-wal']) copyFileSync(whole + suffix, torn + suffix);
        truncateSync(`${torn}-wal`, length);
        expect(contradictions(torn)).toEqual([]);
        rmSync(torn);
        rmSync(`${torn}-wal`, { force: true });
      }),
      { numRuns: cutLogs },
    );
    reached('P4', `${counted(cutLogs)} cut logs, each opens with whole transactions`);
  });

  test('a store that was closed properly leaves one file, which can be opened again', async () => {
    const workflow = await newWorkflow(store);
    await store.close();
    expect(() => statSync(`${path}-wal`)).toThrow('ENOENT');
    store = openSqliteStore({ path });
    expect(await store.workflows.bySlug(workflow.slug)).toEqual(workflow);
  });
});

test('a key that was answered is known with its body after a crash', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-crash-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const store = openSqliteStore({ path: join(folder, 'millrace.db') });
  const workflow = await newWorkflow(store);
  const idempotency = { key: 'order-1042', bodyHash: 'a', since: 0 };
  const { id } = await store.executions.accept(newExecution(workflow, { idempotency }));
  for (const suffix of ['', '-wal']) {
    copyFileSync(join(folder, `millrace.db${suffix}`), join(folder, `crash.db${suffix}`));
  }
  const restarted = openSqliteStore({ path: join(folder, 'crash.db') });
  expect(await restarted.executions.accept(newExecution(workflow, { idempotency }))).toEqual({ id, created: false });
  const other = newExecution(workflow, { idempotency: { ...idempotency, bodyHash: 'b' } });
  await expect(restarted.executions.accept(other)).rejects.toMatchObject({ code: 'idempotency_conflict' });
  expect(await restarted.executions.openCount()).toBe(1);
  await Promise.all([store.close(), restarted.close()]);
});

function shown(store: Store, ids: readonly string[]): Promise<unknown[]> {
  return Promise.all(ids.map((id) => store.executions.detail(id)));
}

/** Five rounds of three runs, each accepted, claimed and finished, with outputs of several pages. */
async function liveFiveRounds(store: Store): Promise<void> {
  const workflow = await newWorkflow(store);
  for (let round = 0; round < 5; round += 1) {
    await Promise.all([1, 2, 3].map(() => store.executions.accept(newExecution(workflow))));
    const facts = [stepSucceeded('a'), completed('x'.repeat(3000))];
    const runs = await claim(store);
    await Promise.all(runs.map((run) => store.executions.append(appendOf(run, facts))));
  }
}

/** Rows that contradict each other, which whole transactions cannot produce. */
function contradictions(path: string): unknown[] {
  const db = new Database(path);
  try {
    const hasTables = db.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'execution_counts'`).get() !== undefined;
    if (!hasTables) return [];
    return [
      ...(db.pragma('integrity_check') as { integrity_check: string }[]).filter((row) => row.integrity_check !== 'ok'),
      ...db.prepare(journalsOutOfStep).all(),
      ...db.prepare(falseCounts).all(),
    ];
  } finally {
    db.close();
  }
}

const journalsOutOfStep = `
  WITH facts AS (
    SELECT execution_id, j.seq + head.key AS seq, head.value ->> 0 AS kind FROM journal AS j, json_each(j.heads) AS head
  )
  SELECT e.id, e.status, e.last_seq, count(f.seq) AS facts FROM executions e
  LEFT JOIN facts f ON f.execution_id = e.id LEFT JOIN triggers t ON t.execution_id = e.id
  GROUP BY e.id
  HAVING e.last_seq <> count(f.seq) OR e.last_seq <> coalesce(max(f.seq), 0) OR t.execution_id IS NULL
    OR (e.status = 'completed') <> (coalesce(sum(f.kind = 'run_finished'), 0) = 1)`;

const falseCounts = `
  WITH actual AS (SELECT workflow_id, status, count(*) AS n FROM executions GROUP BY workflow_id, status),
    stored AS (SELECT workflow_id, status, n FROM execution_counts WHERE workflow_id <> 0 AND n <> 0)
  SELECT * FROM (SELECT * FROM actual EXCEPT SELECT * FROM stored)
  UNION ALL SELECT * FROM (SELECT * FROM stored EXCEPT SELECT * FROM actual)`;
