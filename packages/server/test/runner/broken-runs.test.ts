import type { Fact } from '@millrace/core';
import { afterEach, describe, expect, test } from 'vitest';
import { newExecutionId } from '../../src/ground/ids.ts';
import { appendRun } from '../../src/runner/run/append-run.ts';
import type { Append, ClaimedRun } from '../../src/store/executions.ts';
import { Connection } from '../../src/store/sql/database/connection.ts';
import { noSync } from '../../src/store/sql/database/log/log-sync.ts';
import { migrate, sqliteMigrations } from '../../src/store/sql/database/migrate.ts';
import { openSqliteStore, storeOn } from '../../src/store/sql/sqlite.ts';
import type { Store, StoreSubscriber } from '../../src/store/store.ts';
import { World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const invalid = { status: 'failed', failure: { code: 'run_invalid' } };

/** A run of one workflow that starts with facts of another. */
async function fork(id: string, facts: readonly Fact[]): Promise<string> {
  const run = await world.store.executions.byId(id);
  if (run === null) throw new Error('there is no such run');
  const { workflowId, workflowVersion: version, triggerNodeId } = run;
  const pinned = await world.store.graphs.pinned({ workflowId, version });
  if (pinned === null) throw new Error('its version is missing');
  const at = world.time.clock.now();
  const graph = { ...pinned, version };
  const start = { id: newExecutionId(at), workflowId, graph, triggerNodeId, idempotency: null, at };
  const trigger = { payload: null, text: '' };
  return (await world.store.executions.accept({ ...start, trigger, fork: { executionId: id, facts } })).id;
}

const stranger: Fact = {
  kind: 'step_succeeded',
  nodeId: 'gone',
  frame: '',
  attempt: 1,
  at: 0,
  durationMs: 1,
  outputs: {},
};

describe('a run that cannot continue is ended, and others are not affected', () => {
  test('because its version violates a newer rule', async () => {
    world = await World.open();
    const id = await world.start({ hook: 'start', a: ['keyed', { on_error: 'nonsense' }] }, 'hook -> a');
    await world.settle();
    const { failure, status } = await world.detail(id);
    expect({ failure, status }).toMatchObject(invalid);
    expect(failure?.message).toContain("node 'a' has an invalid config at 'on_error'");
    expect(world.runner.activeCount).toBe(0);
  });

  test('because its journal does not match its version', async () => {
    world = await World.open();
    const id = await world.start({ hook: 'start' }, '');
    await world.settle();
    const broken = await fork(id, [stranger]);
    await world.settle();
    expect(await world.detail(broken)).toMatchObject(invalid);
    const next = await world.start({ hook: 'start' }, '');
    await world.settle();
    expect(await world.detail(next)).toMatchObject({ status: 'completed' });
    expect(world.runner.activeCount).toBe(0);
  });

  test('because the database rejects the output of a step, although it can write', async () => {
    const output = Object.defineProperty({}, 'toJSON', { value: () => 1n });
    world = await World.open({ a: () => ({ outputs: { output: output as never } }) });
    const id = await world.start({ hook: 'start', a: 'keyed' }, 'hook -> a');
    for (let second = 0; second < 5; second += 1) {
      await world.settle();
      world.time.advance(1000);
    }
    await world.settle();
    expect(await world.detail(id)).toMatchObject(invalid);
    expect(world.runner.activeCount).toBe(0);
    const next = await world.start({ hook: 'start' }, '');
    await world.settle();
    expect(await world.detail(next)).toMatchObject({ status: 'completed' });
  });

  test('as cancelled if a user cancelled it meanwhile', async () => {
    const output = Object.defineProperty({}, 'toJSON', { value: () => 1n });
    world = await World.open({ a: () => ({ outputs: { output: output as never } }) });
    const id = await world.start({ hook: 'start', a: 'keyed' }, 'hook -> a');
    await world.settle();
    await world.store.executions.cancel({ id, at: world.time.clock.now() });
    for (let second = 0; second < 5; second += 1) {
      await world.settle();
      world.time.advance(1000);
    }
    await world.settle();
    expect(await world.detail(id)).toMatchObject({ status: 'cancelled', failure: { code: 'run_cancelled' } });
  });

  test('even if its error handler cannot be read', async () => {
    world = await World.open();
    const appended: Append[] = [];
    const append = async (params: Append) => {
      appended.push(params);
      return 'stored' as const;
    };
    const ports = {
      store: { ...world.store, executions: { ...world.store.executions, append } },
      errorHandler: () => Promise.reject(new Error('no JSON')),
      log: { warn: () => undefined, error: () => undefined } as never,
    };
    const failure = { code: 'assertion', message: 'No.' } as const;
    const end = { kind: 'run_finished', at: 1, status: 'failed', output: null, failure, nodeId: 'a' } as const;
    const params = { id: 'e', workflowId: 1, epoch: 1, afterSeq: 0, facts: [end], events: [] };
    await appendRun(ports, { id: 'e', trigger: { payload: null, text: '' } } as ClaimedRun, params);
    const skipped = expect.stringContaining('could not be started');
    expect(appended).toMatchObject([{ facts: [{ ...end, errorHandler: { skipped } }], starts: [] }]);
  });
});

describe('a run that cannot be read is ended, and others are not affected', () => {
  test('because of an answer that it waits for', async () => {
    const real = openSqliteStore({ path: ':memory:' });
    const subscribers: StoreSubscriber[] = [];
    const store: Store = {
      ...real,
      subscribe: (subscriber) => {
        subscribers.push(subscriber);
        return real.subscribe(subscriber);
      },
      waits: { ...real.waits, answers: () => Promise.reject(new SyntaxError('Unexpected end of JSON input')) },
    };
    world = await World.open({ held: () => new Promise(() => undefined) }, { store });
    const damaged = await world.start({ hook: 'start', held: 'keyed' }, 'hook -> held');
    await world.settle();
    for (const subscriber of subscribers) subscriber.answered?.([damaged]);
    await world.settle();
    expect(await world.detail(damaged)).toMatchObject(invalid);
    expect(world.runner.activeCount).toBe(0);
  });

  test.each([
    ['trigger', "UPDATE triggers SET payload = '{' WHERE execution_id = "],
    ['journal', "UPDATE journal SET data = '[' WHERE execution_id = "],
  ])('because of its %s', async (_what, damage) => {
    const connection = new Connection(':memory:');
    migrate(connection, sqliteMigrations());
    const store = storeOn(connection, { sync: noSync(), log: { error: () => undefined } });
    world = await World.open({ held: () => new Promise(() => undefined) }, { store });
    const damaged = await world.start({ hook: 'start', held: 'keyed' }, 'hook -> held');
    await world.settle();
    connection.script(`${damage}'${damaged}'`);
    await world.crash();
    const next = await world.start({ hook: 'start' }, '');
    await world.settle();
    expect(await world.store.executions.byId(damaged)).toMatchObject(invalid);
    expect(await world.detail(next)).toMatchObject({ status: 'completed' });
    expect(world.runner.activeCount).toBe(0);
  });
});
