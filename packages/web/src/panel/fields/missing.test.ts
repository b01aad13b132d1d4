import { expect, test } from 'vitest';
import { fieldsOf } from './fields-of.ts';
import { missingIn } from './missing.ts';

const inner = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const rules = { type: 'array', items: { type: 'object', required: ['id'] }, ui: { widget: 'rules' } };
const by = (value: string) => ({ ...inner, properties: { by: { const: value }, ...inner.properties } });

test.each([
  [inner, {}, 'Name is missing.'],
  [inner, { name: 'a' }, null],
  [{ type: 'array', items: inner }, [{ name: 'a' }, {}], 'Key 2: Name is missing.'],
  [{ oneOf: [by('x'), by('y')] }, { by: 'y' }, 'Name is missing.'],
  [rules, [{ id: 'a', field: 'b', operator: 'gt' }], 'Rule 1 needs a value.'],
  [rules, [{ id: 'a', field: 'b', operator: 'exists' }], null],
  [{ type: 'string' }, 'text', null],
])('for %j, the value %j lacks: %j', (schema, value, lack) => {
  const [field] = fieldsOf({ properties: { key: schema } }, { hasExpressions: true });
  expect(field && missingIn(field, value)).toBe(lack);
});
