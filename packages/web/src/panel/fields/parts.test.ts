import { expect, test } from 'vitest';
import { fieldsOf } from './fields-of.ts';
import { hasPart } from './parts.ts';

const item = { type: 'object', properties: { width: { type: 'number' } } };
const by = (value: string, key: string) => ({ properties: { by: { const: value }, [key]: { type: 'number' } } });

test.each([
  [item, {}, '.width', true],
  [item, undefined, '.width', true],
  [item, '{{ a }}', '.width', false],
  [item, {}, '.height', false],
  [{ type: 'array', items: item }, [{}], '[0].width', true],
  [{ type: 'array', items: item }, [{}], '[1].width', false],
  [{ type: 'object', properties: { inner: item } }, {}, '.inner.width', true],
  [{ oneOf: [by('x', 'a'), by('y', 'b')] }, { by: 'y' }, '.b', true],
  [{ oneOf: [by('x', 'a'), by('y', 'b')] }, { by: 'y' }, '.a', false],
  [{ type: 'array', items: { required: ['id'] }, ui: { widget: 'rules' } }, [{}], '[0].value', true],
  [{ type: 'array', items: { required: ['id'] }, ui: { widget: 'rules' } }, undefined, '[0].value', false],
])('for %j, the value %j shows %s: %j', (schema, value, rest, isShown) => {
  const [field] = fieldsOf({ properties: { key: schema } }, { hasExpressions: true });
  expect(field && hasPart(field.field, value, rest)).toBe(isShown);
});
