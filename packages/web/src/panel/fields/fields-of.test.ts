import { describe, expect, test } from 'vitest';
import { fieldsOf, isShown, labelOf } from './fields-of.ts';
import { plainSchema } from './schema.ts';

const expression = { type: 'string', pattern: '\\{\\{' };
const all = (properties: object, required: string[] = []) =>
  fieldsOf({ properties: properties as never, required }, { hasExpressions: true });

describe('the fields of a config schema', () => {
  test('follow its order', () => {
    const fields = all({ url: { type: 'string' }, method: { type: 'string', enum: ['GET', 'PUT'] } }, ['url']);
    expect(fields.map(({ key, isRequired }) => [key, isRequired])).toEqual([
      ['url', true],
      ['method', false],
    ]);
  });

  const count = { kind: 'number', minimum: 1, maximum: null, isWhole: true, unit: null };
  test.each([
    [{ type: 'string' }, { kind: 'text' }, true],
    [{ anyOf: [{ type: 'boolean' }, expression] }, { kind: 'boolean' }, true],
    [{ anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] }, count, false],
    [{ type: 'integer', minimum: 1, ui: { widget: 'duration', unit: 'seconds' } }, { kind: 'duration' }, false],
    [{ anyOf: [{ type: 'string', enum: ['a', 'b'] }, expression] }, { kind: 'choice', options: ['a', 'b'] }, true],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, { kind: 'text' }, true],
    [{ type: 'string', ui: { widget: 'path' } }, { kind: 'text', isCode: true }, false],
    [{ type: 'string', ui: { widget: 'code' } }, { kind: 'code' }, false],
    [{ type: 'array', items: { type: 'string', enum: ['a', 'b'] } }, { kind: 'choices', options: ['a', 'b'] }, false],
    [{ type: 'array', items: { type: 'string' } }, { kind: 'texts', suggestions: [] }, false],
    [{ type: 'array', items: { $ref: '#/$defs/__schema0' } }, { kind: 'json', isList: true }, false],
    [{ type: 'object', additionalProperties: { type: 'string' } }, { kind: 'map', isText: true }, false],
    [{ type: 'object', additionalProperties: { $ref: 'x' } }, { kind: 'map', isText: false }, false],
    [{ $ref: '#/$defs/__schema0' }, { kind: 'any' }, false],
    [
      {
        anyOf: [
          { type: 'string', enum: ['all'] },
          { type: 'object', properties: { count: { type: 'integer' } } },
        ],
      },
      { kind: 'choice-or-count', options: ['all'], countKey: 'count' },
      false,
    ],
  ])('have a form for %j', (schema, field, takesExpression) => {
    expect(all({ key: schema })[0]).toMatchObject({ field, takesExpression });
  });

  test('contain those of nested objects, and those of each kind of object', () => {
    const inner = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    expect(all({ key: inner })[0]?.field).toMatchObject({ kind: 'object', fields: [{ key: 'a', isRequired: true }] });
    expect(all({ key: { type: 'array', items: inner } })[0]?.field).toMatchObject({ kind: 'objects' });
    const by = (value: string) => ({ ...inner, properties: { by: { const: value }, ...inner.properties } });
    expect(all({ key: { oneOf: [by('x'), by('y')] } })[0]?.field).toMatchObject({
      kind: 'variants',
      key: 'by',
      variants: [{ value: 'x', fields: [{ key: 'a' }] }, { value: 'y' }],
    });
  });

  test('have a label, and the description, default and first example of the schema', () => {
    const schema = { type: 'boolean', description: 'Whether.', default: false, examples: [true, false] };
    expect(all({ accept_errors: schema })[0]).toMatchObject({
      label: 'Accept errors',
      description: 'Whether.',
      defaultValue: false,
      example: true,
    });
  });

  test('take no expressions in a component that evaluates none', () => {
    const [field] = fieldsOf({ properties: { path: { type: 'string' } } }, { hasExpressions: false });
    expect(field?.takesExpression).toBe(false);
  });
});

test('a label has the usual spelling, without the unit that stands beside the field', () => {
  expect(labelOf('base_url')).toBe('Base URL');
  expect(labelOf('ttl_seconds', { widget: 'duration', unit: 'seconds' })).toBe('Time to live');
  expect(labelOf('llm_credential_id', { widget: 'llm_credential' })).toBe('Credential');
});

describe('a field that depends on another key', () => {
  const schema = {
    operation: { type: 'string', enum: ['now', 'add'], default: 'now' },
    amount: { type: 'number', ui: { when: { operation: ['add'] } } },
  };
  const fields = all(schema);
  const [, amount] = fields;

  test.each([
    [{}, false],
    [{ operation: 'now' }, false],
    [{ operation: 'add' }, true],
    [{ operation: '{{ trigger.payload.operation }}' }, true],
    [{ operation: 'now', amount: 2 }, true],
  ])('with %j is shown: %s', (values, shown) => {
    expect(amount !== undefined && isShown(amount, fields, values)).toBe(shown);
  });
});

test('the plain schema of alternatives keeps the hint and the description of the whole', () => {
  const schema = { anyOf: [{ type: 'number' }, expression], description: 'How long.', ui: { unit: 'seconds' } };
  expect(plainSchema(schema)).toEqual({
    plain: { type: 'number', description: 'How long.', ui: { unit: 'seconds' } },
    takesExpression: true,
  });
});
