import type { Json } from '@millrace/core';
import { largeValue, longText } from './hostile-values.ts';
import type { MakeCase, RequestCase } from './stall-case.ts';

/** A search for a text that an execution nearly contains everywhere. */
const searched: MakeCase = (dice) => {
  const letter = dice.pick(['a', 'é', '%', '_']);
  const q = `${letter.repeat(dice.integer(1, 198))}${dice.pick(['b', '', 'ü'])}`;
  const before = {
    steps: [{ type: 'template', config: { template: '{{ trigger.payload.v }}' } }],
    payload: { v: letter.repeat(dice.size(100_000, 1_000_000)) },
  };
  return get(`search for many ${letter}`, [`/api/v1/executions/?q=${encodeURIComponent(q)}`], before);
};

/** An execution with many large values. */
const readAgain: MakeCase = (dice) => {
  const step = { type: 'transform', config: { expression: 'trigger.payload.v' } };
  const steps = Array.from({ length: dice.size(1, 40) }, () => step);
  return get(`read an execution of ${steps.length} large steps`, ['/api/v1/executions/{{ execution }}/'], {
    steps,
    payload: { v: largeValue(dice) },
  });
};

export function get(name: string, paths: readonly string[], before?: RequestCase['before']): RequestCase {
  return {
    kind: 'request',
    name,
    ...(before && { before }),
    requests: paths.map((path) => ({ method: 'GET', path })),
  };
}

export function post(name: string, path: string, body: Json): RequestCase {
  return { kind: 'request', name, requests: [{ method: 'POST', path, body }] };
}

/** Bodies of the right size and of the wrong shape. */
const malformed: MakeCase = (dice) => {
  const path = dice.pick([
    '/api/v1/workflows/',
    '/api/v1/workflows/{{ slug }}/nodes/',
    '/api/v1/workflows/{{ slug }}/graph/',
    '/api/v1/workflows/{{ slug }}/execute/',
    '/api/v1/executions/batch-delete/',
    '/api/v1/credentials/',
    '/api/v1/variables/',
  ]);
  const many = Object.fromEntries(
    Array.from({ length: dice.size(40_000, 40_000) }, (_, index) => [`nam${index}`, index]),
  );
  const badExpressions = Object.fromEntries(
    Array.from({ length: dice.size(40_000, 40_000) }, (_, index) => [`f${index}`, '{{ 1 + }}']),
  );
  const body: Json = dice.pick<Json>([
    many,
    { name: 'x', tags: Array.from({ length: dice.size(45_000, 45_000) }, (_, index) => index) },
    { version: 1, operations: Array.from({ length: dice.size(2000, 2000) }, () => ({ op: 'create_nod', nod: {} })) },
    {
      version: 1,
      operations: Array.from({ length: dice.size(2000, 2000) }, (_, index) => ({
        op: 'delete_node',
        node_id: `n${index}`,
      })),
    },
    { node_id: 'a', component_type: 'http_request', config: { extra_config: many } },
    { node_id: 'a', component_type: 'transform', config: { extra_config: { fields: badExpressions } } },
    {
      node_id: 'a',
      component_type: 'switch',
      config: {
        extra_config: { rules: Array.from({ length: dice.size(9000, 9000) }, () => ({ field: '', operatr: 1 })) },
      },
    },
    {
      node_id: 'a',
      component_type: 'template',
      config: { extra_config: { template: longText(dice).slice(0, 150_000) } },
    },
    { payload: many, text: longText(dice).slice(0, 100_000) },
    {
      name: 'x',
      input_schema: {
        properties: Object.fromEntries(
          Array.from({ length: dice.size(900, 900) }, (_, index) => [`p${index}`, { type: 'strng' }]),
        ),
      },
    },
  ]);
  return post(`malformed body for ${path}: ${JSON.stringify(body).slice(0, 50)}`, path, body);
};

/** Kinds of requests. */
export const requestCases: readonly MakeCase[] = [malformed, searched, readAgain];
