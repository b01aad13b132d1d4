import { expect, it } from 'vitest';
import { createSchemaIssue } from './schema-errors.ts';

const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

it('the message names the first rule that a value violates', () => {
  const schemaIssue = createSchemaIssue();
  expect(schemaIssue(schema, { n: 1 })).toBeNull();
  expect(schemaIssue(schema, { n: 'one' })).toBe('/n must be number');
  expect(schemaIssue(schema, {})).toBe('/n is missing');
  expect(schemaIssue(schema, [])).toBe('it must be object');
  expect(schemaIssue(schema, { n: 2 })).toBeNull();
});

it('a schema that cannot be used fails the step', () => {
  const attempt = () => createSchemaIssue()({ type: 'thing' }, 1);
  expect(attempt).toThrow(
    expect.objectContaining({ code: 'config', message: expect.stringMatching(/^'schema' is not/) }),
  );
});
