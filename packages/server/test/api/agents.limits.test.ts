import { describe, expect, test } from 'vitest';
import { AgentScene } from '../support/agent-scene.ts';
import type { ScriptedAnswer } from '../support/scripted-model.ts';

const sum: ScriptedAnswer = { calls: [{ id: 'a', name: 'calc', args: { expression: '6 * 7' } }] };

/** Answers the open question of a run, and returns the run when it does nothing more by itself. */
async function answer(scene: AgentScene, id: string, confirmed: boolean, response = '') {
  const { open_questions: questions } = await scene.detail(id);
  const [question] = questions;
  if (question === undefined || questions.length !== 1) throw new Error(`there are ${questions.length} questions`);
  const body = { node_id: question.node_id, frame: question.frame, confirmed, response };
  const { status, text } = await scene.person.post(`/api/v1/executions/${id}/resume/`, body);
  expect([status, text]).toEqual([200, text]);
  return { question: question.prompt, run: await scene.settled(id) };
}

describe('an agent with on_limit: ask', () => {
  test('asks a person at max_steps, and may use the same amount again, each time', async () => {
    const scene = await AgentScene.start();
    const agent = { max_steps: 2, on_limit: 'ask' };
    const id = await scene.begin({ answers: [sum, sum, sum, sum, { text: '42' }], agent });
    expect(await scene.settled(id)).toMatchObject({ status: 'interrupted' });
    expect(scene.providers.received).toHaveLength(2);
    expect(await answer(scene, id, true)).toMatchObject({
      question: 'The agent reached max_steps: 2 model calls. May it use the same amount again?',
      run: { status: 'interrupted' },
    });
    expect(scene.providers.received).toHaveLength(4);
    expect(await answer(scene, id, true)).toMatchObject({
      question: 'The agent reached max_steps: 4 model calls. May it use the same amount again?',
      run: { status: 'completed', final_output: '42' },
    });
  });

  test('fails with agent_limit and the words of the person who says no', async () => {
    const scene = await AgentScene.start();
    const agent = { budgets: { tokens: 14 }, on_limit: 'ask' };
    const id = await scene.begin({ answers: [sum, { text: '42' }], agent });
    await scene.settled(id);
    const { run } = await answer(scene, id, false, 'Too expensive.');
    expect(run).toMatchObject({ status: 'failed', error_message: expect.stringContaining('budget of 14 tokens') });
    expect(run.error_message).toContain('Too expensive.');
    expect(run.logs.at(-1)).toMatchObject({ node_id: 'ai', error_code: 'agent_limit' });
    expect(scene.providers.received).toHaveLength(1);
  });

  test('fails when approve_seconds have passed', async () => {
    const scene = await AgentScene.start();
    const agent = { max_steps: 1, on_limit: 'ask', approve_seconds: 60 };
    const id = await scene.begin({ answers: [sum, { text: '42' }], agent });
    expect((await scene.settled(id)).status).toBe('interrupted');
    await scene.running.time.advance(61_000);
    expect((await scene.settled(id)).logs.at(-1)).toMatchObject({ node_id: 'ai', error_code: 'agent_limit' });
  });

  test('makes no call beyond its budget of tool calls: the model may repeat it when a person has allowed more', async () => {
    const scene = await AgentScene.start();
    const agent = { budgets: { tool_calls: 1 }, on_limit: 'ask' };
    const id = await scene.begin({ answers: [sum, { ...sum, text: 'again' }, sum, { text: '42' }], agent });
    const asked = await scene.settled(id);
    expect(asked.logs.filter(({ node_id: node }) => node === 'calc')).toHaveLength(1);
    const { run } = await answer(scene, id, true);
    expect(run).toMatchObject({ status: 'completed', final_output: '42' });
    expect(run.logs.filter(({ node_id: node }) => node === 'calc')).toHaveLength(2);
    expect(JSON.stringify(scene.lastMessages)).toContain('then call the tool again if you need it');
  });
});
