import { describe, expect, test } from 'vitest';
import { fieldsOf } from './field.ts';

const expression = { type: 'string', pattern: '\\{\\{' };

describe('the fields of a config schema', () => {
  test('follow its order, with the policies of the step apart', () => {
    const { own, policies } = fieldsOf({
      properties: {
        url: { type: 'string' },
        retry: { type: 'object' },
        method: { type: 'string', enum: ['GET', 'PUT'] },
      },
      required: ['url'],
    });
    expect(own.map(({ key, isRequired }) => [key, isRequired])).toEqual([
      ['url', true],
      ['method', false],
    ]);
    expect(policies.map(({ key }) => key)).toEqual(['retry']);
  });

  test.each([
    [{ type: 'string' }, { kind: 'text', isLong: false }, true],
    [{ anyOf: [{ type: 'boolean' }, expression] }, { kind: 'boolean' }, true],
    [{ type: 'integer', minimum: 1 }, { kind: 'number', minimum: 1, maximum: null, isWhole: true }, false],
    [{ anyOf: [{ type: 'string', enum: ['a', 'b'] }, expression] }, { kind: 'choice', options: ['a', 'b'] }, true],
    [{ type: 'array', items: { type: 'string' } }, { kind: 'json' }, false],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, { kind: 'json' }, false],
  ])('have a form for %j', (schema, field, takesExpression) => {
    expect(fieldsOf({ properties: { key: schema } }).own[0]).toMatchObject({ field, takesExpression });
  });

  test('have a label, and the description, default and first example of the schema', () => {
    const schema = { type: 'boolean', description: 'Whether.', default: false, examples: [true, false] };
    expect(fieldsOf({ properties: { accept_errors: schema } }).own[0]).toMatchObject({
      label: 'Accept errors',
      description: 'Whether.',
      defaultValue: false,
      example: true,
    });
  });
});
