import { describe, expect, it } from 'vitest';
import { catalogue, graph, node } from '../../test/graphs.ts';
import { type PlanNode, planRun } from '../engine/plan.ts';
import type { JsonObject } from '../json.ts';
import { modelIn } from './sub-components.ts';

const hook = node('hook', 'start');

/** How the node `ask` is planned. */
function planned(edges: string, own: JsonObject = {}, models: Readonly<Record<string, JsonObject>> = {}): PlanNode {
  const nodes = Object.entries(models).map(([name, common]) => node(name, 'model', { price: 1 }, common));
  const of = graph([hook, node('ask', 'asks', {}, own), ...nodes], `hook -> ask\n${edges}`);
  const found = planRun({ graph: of, catalogue, triggerNodeId: 'hook' }).nodes.get('ask');
  if (found === undefined) throw new Error('it is not planned');
  return found;
}

describe('what is connected to a node', () => {
  it('is found by the labels of its edges', () => {
    const { subs } = planned('small -llm-> ask', {}, { small: { model_name: 'small-1' } });
    expect([...subs.keys()]).toEqual(['model', 'memory']);
    expect(modelIn(subs)).toMatchObject({
      nodeId: 'small',
      common: { model_name: 'small-1' },
      config: { source: { price: 1 } },
    });
    expect(subs.get('memory')).toEqual([]);
  });

  it('is nothing without an edge, or by an edge from what does not exist', () => {
    expect(modelIn(planned('').subs)).toBeUndefined();
    expect(modelIn(planned('gone -llm-> ask').subs)).toBeUndefined();
    expect(modelIn(planned('small -memory-> ask', {}, { small: {} }).subs)).toBeUndefined();
  });

  it('is of several models the one that was connected last', () => {
    const { subs } = planned('first -llm-> ask\nlast -llm-> ask', {}, { last: {}, first: {} });
    expect(subs.get('model')).toHaveLength(2);
    expect(modelIn(subs)?.nodeId).toBe('last');
  });

  it('is never a step', () => {
    const of = graph([hook, node('ask', 'asks'), node('small', 'model')], 'hook -> ask\nsmall -llm-> ask');
    const plan = planRun({ graph: of, catalogue, triggerNodeId: 'hook' });
    expect([...plan.nodes.keys()]).toEqual(['hook', 'ask']);
    expect(plan.nodes.get('hook')?.subs.size).toBe(0);
  });
});

describe('the settings of a node that asks a model', () => {
  const model = { temperature: 0.1, max_tokens: 10, timeout: 5, max_retries: 0, response_format: { type: 'text' } };

  it("are its model's where it has none itself", () => {
    const { common } = planned('small -llm-> ask', { temperature: 0.9, top_p: 0.5 }, { small: model });
    expect(common).toMatchObject({ ...model, temperature: 0.9, top_p: 0.5 });
  });

  it('are its own where they are 0', () => {
    expect(planned('small -llm-> ask', { temperature: 0 }, { small: model }).common.temperature).toBe(0);
  });

  it('do not take over what belongs to the model alone', () => {
    const own = { model_name: 'mine', llm_credential_id: 1, priority: 3 };
    const { common } = planned('small -llm-> ask', own, {
      small: { model_name: 'small-1', llm_credential_id: 2, system_prompt: 'Be brief.', priority: 9 },
    });
    expect(common).toMatchObject({ ...own, system_prompt: '' });
  });
});

it('compiles the system prompt of a node that takes a model, and of no other', () => {
  const own = { system_prompt: 'You know {{ trigger.text }}.' };
  expect(planned('', own).prompt).toMatchObject({ isStatic: false });
  const of = graph([hook, node('a', 'step', {}, own)], 'hook -> a');
  expect(planRun({ graph: of, catalogue, triggerNodeId: 'hook' }).nodes.get('a')?.prompt).toBeNull();
});
