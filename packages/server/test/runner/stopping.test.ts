import { type JsonObject, Problem } from '@millrace/core';
import { expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../src/store/sql/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { type Action, World } from '../support/world.ts';

type Verb = 'append' | 'pinned' | 'answers';

/** A store with one method that fails when the test sets it, and how often the method was called since. */
class FailingStore {
  readonly store: Store;
  down: Verb | null = null;
  rejected = 0;

  constructor() {
    const store = openSqliteStore({ path: ':memory:' });
    const { executions, graphs, waits } = store;
    this.store = {
      ...store,
      executions: { ...executions, append: this.#mayFail('append', executions.append) },
      graphs: { ...graphs, pinned: this.#mayFail('pinned', graphs.pinned) },
      waits: { ...waits, answers: this.#mayFail('answers', waits.answers) },
    };
  }

  #mayFail<Args extends unknown[], T>(name: Verb, verb: (...args: Args) => Promise<T>) {
    return (...args: Args): Promise<T> => {
      if (this.down !== name) return verb(...args);
      this.rejected += 1;
      return Promise.reject(new Problem('store_unavailable', 'The disk is full.'));
    };
  }
}

async function open(actions: Readonly<Record<string, Action>> = {}) {
  const failing = new FailingStore();
  const world = await World.open(actions, { store: failing.store });
  onTestFinished(() => failing.store.close());
  return { failing, world };
}

/** The runner has called it once, and does not call it again after it was stopped. */
async function expectRest(world: World, failing: FailingStore): Promise<void> {
  await world.settle();
  expect(failing.rejected).toBe(1);
  await world.runner.stop(0);
  expect(world.time.pending).toBe(0);
  world.time.advance(60_000);
  await world.settle();
  expect(failing.rejected).toBe(1);
}

const invalid: [string, JsonObject] = ['keyed', { on_error: 'nonsense' }];

test.each([
  ['whose version cannot be read', 'pinned', 'pure'],
  ['whose journal cannot be written', 'append', 'pure'],
  ['whose end cannot be written', 'append', invalid],
] as const)('a stopped runner does not return to a run %s', async (_what, down, a) => {
  const { failing, world } = await open();
  await world.start({ hook: 'start', a: typeof a === 'string' ? a : [...a] }, 'hook -> a');
  failing.down = down;
  await expectRest(world, failing);
});

test('a stopped runner does not return to a run whose answers cannot be read', async () => {
  const pause = { kind: 'approval', prompt: '?', fallback: false } as const;
  const { failing, world } = await open({ a: () => ({ pause }) as never, b: () => new Promise(() => undefined) });
  const executionId = await world.start({ hook: 'start', a: 'keyed', b: 'keyed' }, 'hook -> a\nhook -> b');
  await world.settle();
  failing.down = 'answers';
  const answer = { kind: 'decision', confirmed: true, response: '', by: null } as const;
  await failing.store.waits.answer({ executionId, nodeId: 'a', frame: '', stage: 'step', answer });
  await expectRest(world, failing);
});
