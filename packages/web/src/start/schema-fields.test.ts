import { expect, test } from 'vitest';
import { schemaFields, withField } from './schema-fields.ts';

const schema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string' },
    age: { type: 'integer' },
    vip: { type: 'boolean' },
    tier: { enum: ['a', 'b'] },
  },
};

test('a schema of scalars becomes a form, any other schema does not', () => {
  expect(schemaFields(schema)?.map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
    ['name', 'text', true],
    ['age', 'number', false],
    ['vip', 'boolean', false],
    ['tier', 'choice', false],
  ]);
  expect(schemaFields({ properties: { items: { type: 'array' } } })).toBeNull();
  expect(schemaFields({})).toBeNull();
  expect(schemaFields(null)).toBeNull();
});

test('a field changes its key of the payload, and an empty one removes it', () => {
  const [name, age, vip] = schemaFields(schema) ?? [];
  if (!name || !age || !vip) throw new Error('The schema has three fields.');
  expect(withField({ other: 1 }, age, '42')).toEqual({ other: 1, age: 42 });
  expect(withField(null, vip, 'false')).toEqual({ vip: false });
  expect(withField({ name: 'a', age: 1 }, name, '')).toEqual({ age: 1 });
});
