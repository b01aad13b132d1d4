import { describe, expect, test } from 'vitest';
import type { NodeTools, NodeType } from '../../api/node-types.ts';
import { offersSeveral, parametersOf, toolRoles } from './tool-roles.ts';

function offered(properties: object, target: string | null = null): NodeTools {
  const parameters = { type: 'object', properties, required: [] };
  const tool = { name: 'load', description: '', parameters, effect: 'pure', target };
  return { tools: [tool], digest: null, problem: null } as NodeTools;
}

describe('the fields of a tool', () => {
  test('are open to the model where it fills them, and fixed where the config has a value', () => {
    const roles = toolRoles(offered({ query: {}, body: {} }), { url: 'https://a.example/', tool: {} });
    expect([...roles]).toEqual([
      ['query', 'open'],
      ['body', 'open'],
      ['url', 'fixed'],
    ]);
  });

  test('are all fixed if the tool has parameters of its own, or offers those of another server', () => {
    const extra = { url: 'https://a.example/{{ args.id }}', tool: { parameters: { type: 'object' } } };
    expect([...toolRoles(offered({ id: {}, query: {} }), extra)]).toEqual([['url', 'fixed']]);
    expect([...toolRoles(offered({ query: {} }, 'search'), { url: 'https://mcp.example/' })]).toEqual([
      ['url', 'fixed'],
    ]);
  });

  test('are known as fixed before the service has said what the model fills', () => {
    expect([...toolRoles(undefined, { expression: '1 + 1', language: null })]).toEqual([['expression', 'fixed']]);
  });
});

test('a type offers several tools if its settings leave their names and parameters to another server', () => {
  const type = (settings: object) =>
    ({ config_schema: { properties: { tool: { properties: settings } } } }) as unknown as NodeType;
  expect(offersSeveral(type({ asks: {}, untrusted: {} }))).toBe(true);
  expect(offersSeveral(type({ name: {}, parameters: {} }))).toBe(false);
  expect(offersSeveral(undefined)).toBe(false);
});

test('the parameters of a tool have a name, a type, and whether they are required', () => {
  const schema = {
    properties: {
      id: { type: 'integer', description: 'The number of the order.' },
      unit: { enum: ['day', 'hour'] },
      value: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      other: true,
    },
    required: ['id'],
  };
  expect(parametersOf(schema).map(({ name, type, isRequired }) => `${name} ${type} ${isRequired}`)).toEqual([
    'id integer true',
    'unit "day" | "hour" false',
    'value string | number false',
    'other any false',
  ]);
  expect(parametersOf(null)).toEqual([]);
});
