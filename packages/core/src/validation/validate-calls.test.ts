import { describe, expect, it } from 'vitest';
import { node } from '../../test/graphs.ts';
import { type PartlyKnown, unknownValue } from '../expression/config/partly-known.ts';
import type { Json, JsonObject } from '../json.ts';
import { type GraphWorld, noWorld } from './graph-world.ts';
import { calledSlug, checkCall } from './validate-calls.ts';

const calls = (extra: JsonObject) => node('call', 'workflow', extra);

function codes(slug: string, found: ReturnType<GraphWorld['callee']>): readonly string[] {
  return checkCall(calls({ workflow: slug }), { ...noWorld, callee: () => found }).map(({ code }) => code);
}

describe('the workflow that a node runs', () => {
  it.each<[JsonObject, string | null]>([
    [{ workflow: 'other' }, 'other'],
    [{ workflow: 'to-{{ trigger.text }}' }, null],
    [{ workflow: 5 }, null],
    [{}, null],
  ])('for %j is %s, if it is static', (extra, slug) => {
    expect(calledSlug(calls(extra))).toBe(slug);
    expect(calledSlug(node('other', 'template', extra))).toBeNull();
  });

  it('may not be missing, or run the workflow that runs it', () => {
    const rest = { payloadIssue: () => null, startIssue: null };
    expect(codes('x', 'missing')).toEqual(['unknown_workflow']);
    expect(codes('x', { comesBack: 'itself', ...rest })).toEqual(['subworkflow_cycle']);
    expect(codes('x', { comesBack: 'through_others', ...rest })).toEqual(['subworkflow_cycle']);
    expect(codes('x', { comesBack: null, ...rest })).toEqual([]);
    expect(codes('x', { comesBack: null, ...rest, startIssue: 'it is not active.' })).toEqual(['subworkflow_start']);
    expect(codes('x', null)).toEqual([]);
    expect(codes('{{ x }}', 'missing')).toEqual([]);
  });

  it('checks the payload, as far as it is known', () => {
    const asked: PartlyKnown[] = [];
    const payloadIssue = (payload: PartlyKnown) => {
      asked.push(payload);
      return { path: ['a', '0'], isKey: false, message: 'must be text' };
    };
    const world = { ...noWorld, callee: () => ({ comesBack: null, payloadIssue, startIssue: null }) };
    const payload: Json = { a: [5, '{{ x }}'] };
    expect(checkCall(calls({ workflow: 'other', payload }), world)).toEqual([
      {
        code: 'subworkflow_input',
        severity: 'error',
        nodeId: 'call',
        field: 'extra_config.payload.a.0',
        path: ['extra_config', 'payload', 'a', '0'],
        isKey: false,
        message: "Node 'call', extra_config.payload.a.0: must be text (input_schema of workflow 'other')",
      },
    ]);
    expect(checkCall(calls({ workflow: 'other' }), world)).toEqual([]);
    expect(asked).toEqual([{ a: [5, unknownValue] }]);
  });
});
