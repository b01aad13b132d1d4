import type { Budget, Spent } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { Budgets } from './budgets.ts';

const id = 7;

/** A store with one workflow, whose usage grows when its steps end. */
class World {
  budget: Budget | null = { tokens: 100, usd: null, period: 'month' };
  stored: Spent = { tokens: 0, usd: 0 };
  now = Date.parse('2026-01-31T23:00:00Z');
  reads: string[] = [];
  readonly budgets = new Budgets({
    budgetOf: async () => this.budget,
    spentSince: async ({ since }) => {
      this.reads.push(since);
      return this.stored;
    },
    clock: { now: () => this.now },
  });

  hold(tokens: number, usual = tokens) {
    return this.budgets.hold(id, () => ({ least: { tokens, usd: 0 }, usual: { tokens: usual, usd: 0 } }));
  }
}

const spent = { code: 'budget_spent', retryable: false };
const used = (tokens: number): Spent => ({ tokens, usd: 0 });

describe('the budget of a workflow', () => {
  it('counts what steps have stored, and the answers since then', async () => {
    const world = new World();
    world.stored = used(60);
    (await world.hold(10))(used(30));
    await expect(world.hold(11)).rejects.toMatchObject(spent);
    (await world.hold(10))(used(10));
    await expect(world.hold(1)).rejects.toMatchObject(spent);
    expect(world.reads).toEqual(['2026-01-01']);
  });

  it('reserves the estimates of calls in progress: another call may be attempted again when they have ended', async () => {
    const world = new World();
    const [first] = await Promise.all([world.hold(50), world.hold(50)]);
    await expect(world.hold(1)).rejects.toMatchObject({ ...spent, retryable: true });
    first(used(20));
    await world.hold(30);
    await expect(world.hold(1)).rejects.toMatchObject({ ...spent, retryable: true });
    expect(world.reads).toHaveLength(1);
  });

  it('reserves what is left for an answer of unknown length, so that calls at the same time do not exceed it', async () => {
    const world = new World();
    const first = await world.hold(10, 60);
    const second = await world.hold(10, 60);
    await expect(world.hold(1, 60)).rejects.toMatchObject({ ...spent, retryable: true });
    first(used(20));
    second(used(20));
    await world.hold(60, 60);
  });

  it('gives back what a failed call has reserved', async () => {
    const world = new World();
    (await world.hold(100))(used(0));
    await world.hold(100);
  });

  it('begins again with each period, and says when', async () => {
    const world = new World();
    (await world.hold(1))(used(500));
    await expect(world.hold(1)).rejects.toThrow('Retry the execution from 2026-02-01T00:00Z on');
    world.now = Date.parse('2026-02-01T00:00:00Z');
    await world.hold(100);
  });

  it('may be raised, removed and set again at any time', async () => {
    const world = new World();
    (await world.hold(1))(used(100));
    await expect(world.hold(1)).rejects.toMatchObject(spent);
    world.budget = { tokens: null, usd: 1, period: 'day' };
    (await world.hold(1))(used(1));
    world.budget = null;
    (await world.hold(10_000))(used(10_000));
    world.stored = used(10_101);
    world.budget = { tokens: 20_000, usd: null, period: 'month' };
    await expect(world.hold(9900)).rejects.toMatchObject(spent);
    await world.hold(9800);
  });

  it('is read again after a failed read of the store', async () => {
    const world = new World();
    const broken = new Budgets({
      budgetOf: async () => world.budget,
      spentSince: async () => {
        world.reads.push('try');
        if (world.reads.length === 1) throw new Error('busy');
        return used(0);
      },
      clock: { now: () => world.now },
    });
    await expect(broken.hold(id, () => ({ least: used(1), usual: used(1) }))).rejects.toThrow('busy');
    await broken.hold(id, () => ({ least: used(1), usual: used(1) }));
  });
});
