import type { Fact, Instant, ModelCaller, Workflow } from '@millrace/core';
import { expect, test } from 'vitest';
import type { Store } from '../store.ts';
import { appendOf, claim, newExecution, newWorkflow, start } from './world.ts';

const dayMs = 86_400_000;
const usage = { calls: 1, inputTokens: 10, outputTokens: 4, costUsd: 0.5 };

function used(at: Instant, by?: ModelCaller): Fact {
  return {
    kind: 'step_succeeded',
    nodeId: 'gpt',
    frame: 'ai[0]',
    at,
    attempt: 1,
    durationMs: 1,
    outputs: {},
    usage: { ...usage, ...(by && { by }) },
  };
}

/** Tests of what the models of workflows used. */
export function usageSentences(store: () => Store): void {
  async function append(workflow: Workflow, facts: readonly Fact[]): Promise<void> {
    const { id } = await store().executions.accept(newExecution(workflow, { at: start }));
    const run = (await claim(store())).find((claimed) => claimed.id === id);
    if (run === undefined) throw new Error('the run was not claimed');
    expect(await store().executions.append(appendOf(run, facts))).toBe('stored');
  }

  const usageOf = ({ id: workflowId }: Workflow, since = '2020-01-01', until = '2040-01-01') =>
    store().usage.ofWorkflow({ workflowId, since, until });

  test('is counted by day in UTC, and by the node that asked and its model', async () => {
    const workflow = await newWorkflow(store());
    const other = await newWorkflow(store());
    const small = { nodeId: 'ai', model: 'small' };
    const large = { nodeId: 'ai', model: 'large' };
    const midnight = Date.UTC(2026, 0, 6);
    await append(workflow, [used(midnight - 1, small), used(midnight, small), used(midnight, large)]);
    await append(workflow, [used(midnight, small), used(midnight)]);
    await append(other, [used(midnight, small)]);
    const times = (n: number) => ({ calls: n, inputTokens: 10 * n, outputTokens: 4 * n, costUsd: 0.5 * n });
    expect(await usageOf(workflow)).toEqual({
      days: [
        { day: '2026-01-05', ...times(1) },
        { day: '2026-01-06', ...times(4) },
      ],
      callers: [
        { by: small, ...times(3) },
        { by: large, ...times(1) },
        // A journal of an earlier version does not name the model.
        { by: { nodeId: 'gpt', model: '' }, ...times(1) },
      ],
    });
    expect((await usageOf(workflow, '2026-01-05', '2026-01-05')).days).toEqual([{ day: '2026-01-05', ...times(1) }]);
    const spent = (since: string) => store().usage.spentSince({ workflowId: workflow.id, since });
    expect(await spent('2026-01-05')).toEqual({ tokens: 70, usd: 2.5 });
    expect(await spent('2026-01-06')).toEqual({ tokens: 56, usd: 2 });
    expect(await spent('2026-01-07')).toEqual({ tokens: 0, usd: 0 });
  });

  test('counts the nodes of a day beyond the first hundred together, so that a read is short', async () => {
    const workflow = await newWorkflow(store());
    const facts = Array.from({ length: 120 }, (_, index) => used(start, { nodeId: `ai_${index}`, model: 'small' }));
    await append(workflow, facts);
    const { days, callers } = await usageOf(workflow);
    expect(days).toEqual([
      { day: '2026-01-05', ...usage, calls: 120, inputTokens: 1200, outputTokens: 480, costUsd: 60 },
    ]);
    expect(callers).toHaveLength(101);
    expect(callers[0]).toEqual({ by: null, calls: 20, inputTokens: 200, outputTokens: 80, costUsd: 10 });
  });

  test('is deleted after 400 days', async () => {
    const workflow = await newWorkflow(store());
    await append(workflow, [used(start), used(start + 400 * dayMs)]);
    expect((await usageOf(workflow)).days).toHaveLength(2);
    await append(workflow, [used(start + 401 * dayMs)]);
    expect((await usageOf(workflow)).days.map(({ day }) => day)).toEqual(['2027-02-09', '2027-02-10']);
  });
}
