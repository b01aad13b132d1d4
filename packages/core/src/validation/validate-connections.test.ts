import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { catalogue, graph, node } from '../../test/graphs.ts';
import type { JsonObject } from '../json.ts';
import type { GraphIssue } from './graph-issue.ts';
import { validateGraph } from './validate.ts';

const complete = { llm_credential_id: 1, model_name: 'small-1' };

function issues(edges: string, system_prompt = '', model: JsonObject = complete): readonly GraphIssue[] {
  const ask = { ...node('ask', 'asks'), config: { system_prompt } };
  // This test's node types accept any config.
  const nodes = [node('hook', 'start'), ask, node('small', 'model', {}, model)];
  return validateGraph(graph(nodes, `hook -> ask\n${edges}`), anyConfig);
}

const anyConfig = new Map(
  [...catalogue].map(([type, component]) => [type, { ...component, config: component.config.or(looseObject()) }]),
);

function looseObject() {
  return z.record(z.string(), z.json());
}

describe('the connections of a node', () => {
  it('must include a model', () => {
    const message = "Node 'ask' is missing required 'model' connection";
    const hint = "Connect a node of type 'ai_model' to it by an edge labelled 'llm'.";
    expect(issues('')).toEqual([{ code: 'missing_connection', severity: 'error', nodeId: 'ask', message, hint }]);
    expect(issues('gone -llm-> ask')).toContainEqual({
      code: 'missing_connection',
      severity: 'error',
      nodeId: 'ask',
      message,
      hint,
    });
    expect(issues('small -llm-> ask')).toEqual([]);
  });
});

describe('a model', () => {
  const missing = { code: 'missing_setting', severity: 'warning', nodeId: 'small' };

  it('causes a warning while it lacks settings that its users need', () => {
    expect(issues('small -llm-> ask', '', {})).toEqual([
      {
        ...missing,
        field: 'llm_credential_id',
        message: "Node 'small' has no LLM credential: set its llm_credential_id",
      },
      { ...missing, field: 'model_name', message: "Node 'small' names no model: set its model_name" },
    ]);
    expect(issues('small -llm-> ask', '', { model_name: 'small-1' })).toHaveLength(1);
  });

  it('may lack them while no node uses it', () => {
    expect(issues('', '', {}).map(({ code }) => code)).toEqual(['missing_connection']);
  });
});

describe('the system prompt of a node with a model input', () => {
  it('is checked like other expressions, with its path', () => {
    expect(issues('small -llm-> ask', 'Hello {{ hook.payload }}')).toEqual([]);
    expect(issues('small -llm-> ask', 'Hello {{ hok.text }}')).toMatchObject([
      { code: 'unknown_name', field: 'system_prompt', message: expect.stringContaining("Unknown name 'hok'") },
    ]);
    expect(issues('small -llm-> ask', 'Hello {{ 1 + }}')).toMatchObject([
      { code: 'expression', field: 'system_prompt', nodeId: 'ask' },
    ]);
  });
});
