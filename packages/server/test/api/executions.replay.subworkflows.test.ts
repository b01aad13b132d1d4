import { executeAnswer } from '@millrace/contract';
import { expect, test } from 'vitest';
import { WorkScene } from '../support/work-scene.ts';

/** `start -> first -> call -> last`, where `call` runs `begin -> a -> b`. */
function open(broken: readonly string[]): Promise<WorkScene> {
  return WorkScene.open(
    {
      main: {
        nodes: { start: 'trigger_manual', first: 'work', call: ['workflow', { workflow: 'sub' }], last: 'work' },
        edges: 'start -> first\nfirst -> call\ncall -> last',
      },
      sub: { nodes: { begin: 'trigger_workflow', a: 'work', b: 'work' }, edges: 'begin -> a\na -> b' },
    },
    broken,
  );
}

/** Replays an execution from a node, after every broken node was repaired. */
async function replay(scene: WorkScene, id: string, from: string): Promise<string> {
  scene.broken.clear();
  // Executions of the same millisecond have no defined order.
  scene.running.time.advance(1);
  const { body } = await scene.member.post(`/api/v1/executions/${id}/replay/`, { from_node: from });
  await scene.settle();
  return executeAnswer.parse(body).execution_id;
}

test('a replay from a node after the sub-workflow reuses its output and does not run it', async () => {
  const scene = await open(['last']);
  const { execution_id: id } = await scene.run();
  const replayed = await scene.detail(await replay(scene, id, 'last'));
  expect(replayed).toMatchObject({ status: 'completed', replay_of: id });
  expect(await scene.statuses('sub')).toEqual(['completed']);
  expect(scene.keys()).toEqual({ first: 1, a: 1, b: 1, last: 2 });
});

test.each(['call', 'first'])('a replay from %s starts a new sub-workflow, with new keys', async (from) => {
  const scene = await open(['b']);
  const { execution_id: id } = await scene.run();
  const replayed = await replay(scene, id, from);
  expect(await scene.detail(replayed)).toMatchObject({ status: 'completed', replay_of: id });
  const [old, fresh] = await scene.of('sub');
  expect(old).toMatchObject({ status: 'failed', parent_execution_id: id });
  expect(fresh).toMatchObject({ status: 'completed', parent_execution_id: replayed });
  expect(scene.keys()).toMatchObject({ a: 2, b: 2 });
  expect((await scene.detail(id)).status).toBe('failed');
});

test('a replay that fails in its sub-workflow can be retried like any other execution', async () => {
  const scene = await open(['b']);
  const { execution_id: id } = await scene.run();
  scene.running.time.advance(1);
  const { body } = await scene.member.post(`/api/v1/executions/${id}/replay/`, { from_node: 'call' });
  await scene.settle();
  const replayed = await scene.detail(executeAnswer.parse(body).execution_id);
  expect(replayed.status).toBe('failed');
  await scene.retry(replayed);
  expect(await scene.statuses('main')).toEqual(['failed', 'completed']);
  expect(await scene.statuses('sub')).toEqual(['failed', 'completed']);
});
