import { afterEach, expect, test } from 'vitest';
import { type Action, World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

/** Waits until the test releases it. */
function held(): { readonly action: Action; readonly letGo: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { action: () => promise.then(() => ({ outputs: { output: 'done' } })), letGo: resolve };
}

/** Deletes all nodes of the workflow except its trigger. */
async function empty(id: string): Promise<void> {
  const workflowId = (await world.store.executions.byId(id))?.workflowId ?? 0;
  const graph = await world.store.graphs.load(workflowId);
  if (graph === null) throw new Error('the graph is missing');
  const nodes = graph.nodes.filter(({ nodeId }) => nodeId !== 'hook');
  const changes = [
    ...graph.edges.map((edge) => ({ kind: 'delete_edge', id: edge.id }) as const),
    ...nodes.map((node) => ({ kind: 'delete_node', id: node.id, nodeId: node.nodeId }) as const),
  ];
  await world.store.graphs.save({ workflowId, baseVersion: graph.version, changes, at: world.time.clock.now() });
}

async function nodesOf(id: string): Promise<readonly string[]> {
  const { journal } = await world.detail(id);
  return journal.flatMap(({ fact }) => (fact.kind === 'step_succeeded' ? [fact.nodeId] : []));
}

test.each([
  ['continues with the version that it started with', false],
  ['continues with it in another process after a crash', true],
])('a run whose workflow is changed meanwhile %s', async (_how, crashes) => {
  const { action, letGo } = held();
  world = await World.open({ a: action });
  const id = await world.start({ hook: 'start', a: 'keyed', b: 'pure' }, 'hook -> a\na -> b');
  await world.settle();
  await empty(id);
  if (crashes) await world.crash();
  letGo();
  await world.settle();
  expect((await world.detail(id)).status).toBe('completed');
  expect(await nodesOf(id)).toEqual(['hook', 'a', 'b']);
});

test('a run that was accepted before its workflow was changed keeps its version', async () => {
  world = await World.open();
  await world.runner.stop(0);
  const id = await world.start({ hook: 'start', a: 'pure' }, 'hook -> a');
  await empty(id);
  await world.crash();
  await world.settle();
  expect(await nodesOf(id)).toEqual(['hook', 'a']);
});
