/**
 * The cost of a step when only the engine takes time: `node engine.bench.ts [directory] [items]`; the directory should
 * be on the disk to measure. Uses the whole runner, on a database file with a synced write-ahead log.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalogue as ownCatalogue } from '@millrace/components';
import { defineComponent, type JsonObject } from '@millrace/core';
import { z } from 'zod';
import { createRunner } from '../../src/app-runner.ts';
import { systemClock, systemTimers } from '../../src/ground/clock.ts';
import { newExecutionId } from '../../src/ground/ids.ts';
import type { GraphChange } from '../../src/store/graphs.ts';
import { openSqliteStore } from '../../src/store/sql/sqlite.ts';
import { blankEdge, blankNode } from '../support/blank-graph.ts';
import { blankWorkflow } from '../support/blank-workflow.ts';
import { idleParts, idleServices } from '../support/idle-parts.ts';

const [directory = tmpdir(), items = '10000'] = process.argv.slice(2);

/** A node's id, its type, and its config. */
type Sketch = readonly [nodeId: string, type: string, extra?: JsonObject];

interface Measured {
  readonly steps: number;
  readonly ms: number;
  readonly cpuMs: number;
  /** The maximum heap growth in MiB. */
  readonly heap: number;
}

/** A step with an external effect, so that it starts only when everything before it is on disk. */
const keyed = defineComponent<never>({
  type: 'keyed',
  label: 'Keyed',
  category: 'Logic',
  description: 'For measurements.',
  icon: 'box',
  color: '#000000',
  inputs: [{ name: 'input', dataType: 'any', required: false, description: 'A value.' }],
  outputs: [{ name: 'output', dataType: 'any', description: 'A value.' }],
  subInputs: [],
  effect: 'keyed',
  version: 1,
  config: z.never(),
  run: async ({ input }) => ({ outputs: { output: input } }),
});

const folder = mkdtempSync(join(directory, 'millrace-bench-'));
const store = openSqliteStore({ path: join(folder, 'engine.db') });
const at = systemClock.now();
const owner = await store.users.insert({ username: 'bench', isAdmin: false, at });
let ended: (id: string) => void = () => undefined;
store.subscribe({
  published: (events) => {
    for (const { event } of events) if (event.type === 'execution_completed') ended(event.executionId);
  },
});
const runner = createRunner({
  store,
  catalogue: new Map([...ownCatalogue, ['keyed', keyed]]),
  clock: systemClock,
  timers: systemTimers,
  random: Math.random,
  ...idleParts,
  log: { warn: console.warn, error: console.error, info: () => undefined, debug: () => undefined },
  services: { ...idleServices, resultWaiters: { isAwaited: () => true } },
  maxSteps: 1_000_000,
  maxRunSize: Number.POSITIVE_INFINITY,
  owner: 'bench',
});
runner.start();

const chain = (type: string) => ({
  nodes: Array.from({ length: 40 }, (_none, index): Sketch => [`s${index}`, type, type === 'transform' ? double : {}]),
  edges: Array.from({ length: 40 }, (_none, index) => [index === 0 ? 'hook' : `s${index - 1}`, `s${index}`] as const),
});
const loop = (type: string, extra: JsonObject) => ({
  nodes: [
    ['each', 'loop', { items: '{{ trigger.payload }}', ...extra }],
    ['body', type, type === 'transform' ? { expression: 'loop.index * 2' } : {}],
  ] as const,
  edges: [
    ['hook', 'each'],
    ['each', 'body', 'loop_body'],
    ['body', 'each', 'loop_return'],
  ] as const,
});
const double = { expression: 'trigger.payload' };
const list = Array.from({ length: Number(items) }, (_none, index) => index);

console.log('| work | steps | ms per step | steps/s | CPU ms per step | heap MiB |');
console.log('|---|---|---|---|---|---|');
await measure('40 steps one after the other, that only calculate', chain('transform'), { payload: 1, runs: 200 });
await measure('40 steps one after the other, each after the disk has the one before', chain('keyed'), {
  payload: 1,
  runs: 20,
});
await measure(`a loop over ${items} items`, loop('transform', {}), { payload: list, runs: 1 });
await measure('the same, 100 at once', loop('transform', { concurrency: 100 }), { payload: list, runs: 1 });
await measure('the same, steps with effects, 100 at once', loop('keyed', { concurrency: 100 }), {
  payload: list,
  runs: 1,
});
await measure('the same, one after the other', loop('keyed', {}), { payload: list, runs: 1 });
await runner.stop(0);
await store.close();
rmSync(folder, { recursive: true });

interface Work {
  readonly nodes: readonly Sketch[];
  readonly edges: readonly (readonly [source: string, target: string, label?: 'loop_body' | 'loop_return'])[];
}

/** Runs one after the other; the first one is a warm-up. */
async function measure(name: string, work: Work, { payload, runs }: { payload: unknown; runs: number }): Promise<void> {
  const workflow = await addWorkflow(work);
  if (runs > 1) await once(workflow, payload);
  const all: Measured[] = [];
  for (let run = 0; run < runs; run += 1) all.push(await once(workflow, payload));
  const [steps, ms, cpu] = (['steps', 'ms', 'cpuMs'] as const).map((key) =>
    all.reduce((sum, one) => sum + one[key], 0),
  );
  const heap = Math.max(...all.map((one) => one.heap));
  if (steps === undefined || ms === undefined || cpu === undefined) return;
  const figures = [ms / steps, (steps / ms) * 1000, cpu / steps, heap].map((figure) => figure.toPrecision(3));
  console.log(`| ${[name, steps, ...figures].join(' | ')} |`);
}

async function addWorkflow({ nodes, edges }: Work): Promise<number> {
  if (owner === null) throw new Error('there is no owner');
  const slug = newExecutionId();
  const workflow = await store.workflows.insert({ ...blankWorkflow, name: slug, slug, ownerId: owner.id, at });
  if (workflow === 'slug_taken') throw new Error('the slug is taken');
  const changes: GraphChange[] = [['hook', 'trigger_webhook'] as Sketch, ...nodes].map(
    ([nodeId, componentType, extra = {}]) => ({
      kind: 'create_node',
      node: blankNode(nodeId, componentType, { extra }),
    }),
  );
  for (const edge of edges) changes.push({ kind: 'create_edge', edge: blankEdge(...edge) });
  await store.graphs.save({ workflowId: workflow.id, baseVersion: workflow.version, changes, at });
  return workflow.id;
}

async function once(workflowId: number, payload: unknown): Promise<Measured> {
  const graph = await store.graphs.load(workflowId);
  if (graph === null) throw new Error('the graph is missing');
  globalThis.gc?.();
  const id = newExecutionId();
  const before = { at: performance.now(), cpu: process.cpuUsage(), heap: process.memoryUsage().heapUsed };
  let most = before.heap;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().heapUsed);
  }, 20);
  const end = new Promise<void>((resolve) => {
    ended = (ending) => ending === id && resolve();
  });
  await store.executions.accept({
    id,
    workflowId,
    graph,
    triggerNodeId: 'hook',
    trigger: { payload: payload as number, text: '' },
    idempotency: null,
    at: systemClock.now(),
  });
  await end;
  clearInterval(watch);
  const cpu = process.cpuUsage(before.cpu);
  const { journal = [] } = (await store.executions.detail(id)) ?? {};
  return {
    steps: journal.filter(({ fact }) => fact.kind === 'step_succeeded').length,
    ms: performance.now() - before.at,
    cpuMs: (cpu.user + cpu.system) / 1000,
    heap: (most - before.heap) / 2 ** 20,
  };
}
