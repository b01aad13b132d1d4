import { describe, expect, it } from 'vitest';
import { catalogue, graph, node } from '../../test/graphs.ts';
import { type PlanNode, planRun } from '../engine/plan.ts';
import type { JsonObject } from '../json.ts';
import { modelIn } from './sub-components.ts';

const hook = node('hook', 'start');

/** The planned node `ask`. */
function planned(edges: string, own: JsonObject = {}, models: Readonly<Record<string, JsonObject>> = {}): PlanNode {
  const nodes = Object.entries(models).map(([name, common]) => node(name, 'model', { price: 1 }, common));
  const of = graph([hook, node('ask', 'asks', {}, own), ...nodes], `hook -> ask\n${edges}`);
  const found = planRun({ graph: of, catalogue, triggerNodeId: 'hook' }).nodes.get('ask');
  if (found === undefined) throw new Error('it is not planned');
  return found;
}

describe('the sub-components of a node', () => {
  it('are found by the labels of its edges', () => {
    const { subs } = planned('small -llm-> ask', {}, { small: { model_name: 'small-1' } });
    expect([...subs.keys()]).toEqual(['model', 'memory']);
    expect(modelIn(subs)).toMatchObject({
      nodeId: 'small',
      common: { model_name: 'small-1' },
      config: { source: { price: 1 } },
    });
    expect(subs.get('memory')).toEqual([]);
  });

  it('are none without an edge, or with an edge from a node that does not exist', () => {
    expect(modelIn(planned('').subs)).toBeUndefined();
    expect(modelIn(planned('gone -llm-> ask').subs)).toBeUndefined();
    expect(modelIn(planned('small -memory-> ask', {}, { small: {} }).subs)).toBeUndefined();
  });

  it('include only the last connected model', () => {
    const { subs } = planned('first -llm-> ask\nlast -llm-> ask', {}, { last: {}, first: {} });
    expect(subs.get('model')).toHaveLength(2);
    expect(modelIn(subs)?.nodeId).toBe('last');
  });

  it('are never steps', () => {
    const of = graph([hook, node('ask', 'asks'), node('small', 'model')], 'hook -> ask\nsmall -llm-> ask');
    const plan = planRun({ graph: of, catalogue, triggerNodeId: 'hook' });
    expect([...plan.nodes.keys()]).toEqual(['hook', 'ask']);
    expect(plan.nodes.get('hook')?.subs.size).toBe(0);
  });
});

describe('the settings of a node that calls a model', () => {
  const model = { temperature: 0.1, max_tokens: 10, timeout: 5, max_retries: 0, response_format: { type: 'text' } };

  it('are those of its model if it has none itself', () => {
    const { common } = planned('small -llm-> ask', { temperature: 0.9, top_p: 0.5 }, { small: model });
    expect(common).toMatchObject({ ...model, temperature: 0.9, top_p: 0.5 });
  });

  it('are its own if they are 0', () => {
    expect(planned('small -llm-> ask', { temperature: 0 }, { small: model }).common.temperature).toBe(0);
  });

  it('do not include settings that belong only to the model', () => {
    const own = { model_name: 'mine', llm_credential_id: 1, priority: 3 };
    const { common } = planned('small -llm-> ask', own, {
      small: { model_name: 'small-1', llm_credential_id: 2, system_prompt: 'Be brief.', priority: 9 },
    });
    expect(common).toMatchObject({ ...own, system_prompt: '' });
  });
});

it('include a compiled system prompt only for a node that has a model input', () => {
  const own = { system_prompt: 'You know {{ trigger.text }}.' };
  expect(planned('', own).prompt).toMatchObject({ isStatic: false });
  const of = graph([hook, node('a', 'step', {}, own)], 'hook -> a');
  expect(planRun({ graph: of, catalogue, triggerNodeId: 'hook' }).nodes.get('a')?.prompt).toBeNull();
});
