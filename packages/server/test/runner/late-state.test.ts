import type { StepOutcome, StepResult } from '@millrace/core';
import { afterEach, expect, test } from 'vitest';
import { type Action, World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

test('a state step that took several turns to prepare is completed, and the run goes on', async () => {
  let prepared = (): void => undefined;
  const outcome: StepOutcome = {
    state: { operation: 'set', key: 'k', value: 1, scope: null, ttlSeconds: null },
  } as never;
  // Resolves when nothing else of the run is being stored.
  const late: Action = () =>
    new Promise<StepResult>((resolve) => {
      prepared = () => resolve(outcome as never);
    });
  world = await World.open({ late });
  const id = await world.start({ hook: 'start', late: 'once', end: 'pure' }, 'hook -> late\nlate -> end');
  await world.settle();
  prepared();
  await world.settle();
  expect((await world.store.executions.byId(id))?.status).toBe('completed');
});
