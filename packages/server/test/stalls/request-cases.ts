import type { Json, JsonObject } from '@millrace/core';
import { largeValue, longText, wideObject } from './hostile-values.ts';
import type { MakeCase, RequestCase } from './stall-case.ts';

/** A search for a text that an execution nearly contains everywhere. */
const searched: MakeCase = (dice) => {
  const letter = dice.pick(['a', 'é', '%', '_']);
  const q = `${letter.repeat(dice.integer(1, 198))}${dice.pick(['b', '', 'ü'])}`;
  const before = {
    steps: [{ type: 'template', config: { template: '{{ trigger.payload.v }}' } }],
    payload: { v: letter.repeat(dice.integer(100_000, 1_000_000)) },
  };
  return get(`search for many ${letter}`, [`/api/v1/executions/?q=${encodeURIComponent(q)}`], before);
};

/** An execution with many large values. */
const readAgain: MakeCase = (dice) => {
  const step = { type: 'transform', config: { expression: 'trigger.payload.v' } };
  const steps = Array.from({ length: dice.integer(1, 40) }, () => step);
  return get(`read an execution of ${steps.length} large steps`, ['/api/v1/executions/{{ execution }}/'], {
    steps,
    payload: { v: largeValue(dice) },
  });
};

function get(name: string, paths: readonly string[], before: RequestCase['before']): RequestCase {
  return {
    kind: 'request',
    name,
    ...(before && { before }),
    requests: paths.map((path) => ({ method: 'GET', path })),
  };
}

function post(name: string, path: string, body: Json): RequestCase {
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
  const many = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`nam${index}`, index]));
  const badExpressions = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`f${index}`, '{{ 1 + }}']));
  const body: Json = dice.pick<Json>([
    many,
    { name: 'x', tags: Array.from({ length: 45_000 }, (_, index) => index) },
    { version: 1, operations: Array.from({ length: 2000 }, () => ({ op: 'create_nod', nod: {} })) },
    {
      version: 1,
      operations: Array.from({ length: 2000 }, (_, index) => ({ op: 'delete_node', node_id: `n${index}` })),
    },
    { node_id: 'a', component_type: 'http_request', config: { extra_config: many } },
    { node_id: 'a', component_type: 'transform', config: { extra_config: { fields: badExpressions } } },
    {
      node_id: 'a',
      component_type: 'switch',
      config: { extra_config: { rules: Array.from({ length: 9000 }, () => ({ field: '', operatr: 1 })) } },
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
        properties: Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`p${index}`, { type: 'strng' }])),
      },
    },
  ]);
  return post(`malformed body for ${path}: ${JSON.stringify(body).slice(0, 50)}`, path, body);
};

/** A text that is hard to check. */
const checkedText: MakeCase = (dice) => {
  const bad = dice.pick([
    '{{ nodx1.y }}',
    '{{ stepp }}',
    '{{ 1 + }}',
    '{{ trigger.payload | uper }}',
    '{{ nodes.ndoe1.output }}',
  ]);
  const count = dice.integer(200, 1900);
  const each = Math.floor(200_000 / count);
  const name = dice.pick(['node', 'a_node_with_a_long_name_that_nearly_fits_']);
  const lines = Array.from({ length: count }, (_, index) => {
    const text = bad.repeat(Math.max(1, Math.floor((each - 60 - 2 * name.length) / bad.length)));
    return `  - {id: ${name}${index}, type: template, template: "${text}"}`;
  });
  const yaml_str = `name: x\ntrigger: webhook\nsteps:\n${lines.join('\n')}\n`.slice(0, 262_000);
  return post(`validate-dsl: ${count} nodes with ${bad}`, '/api/v1/workflows/validate-dsl/', { yaml_str });
};

const schemas: readonly JsonObject[] = [
  { uniqueItems: true },
  { additionalProperties: false, properties: { a: {} } },
  { patternProperties: { '(a|b|ab)*c$': {}, '^(k+)+x': {} } },
  { anyOf: Array.from({ length: 200 }, (_, index) => ({ additionalProperties: { const: index + 100 } })) },
  { propertyNames: { pattern: '(a?){100}a{100}$' } },
  { items: { enum: Array.from({ length: 2000 }, (_, index) => `e${index}`) } },
  { pattern: '(a|aa)+$' },
  { minLength: 2_000_000 },
  { contains: { const: 'x' } },
];

/** A payload that is hard to check by the schema of its workflow. */
const schemaChecked: MakeCase = (dice) => {
  const schema = dice.pick(schemas);
  return {
    kind: 'run',
    name: `input_schema ${JSON.stringify(schema).slice(0, 50)}`,
    steps: [],
    payload: dice.pick([largeValue(dice), wideObject(dice)]),
    inputSchema: { properties: { v: schema } },
  };
};

/** Kinds of cases that no longer stall the service. */
export const boundedRequests: readonly MakeCase[] = [checkedText, malformed, searched];

/** Kinds of cases that still can. */
export const openRequests: readonly MakeCase[] = [readAgain, schemaChecked];
