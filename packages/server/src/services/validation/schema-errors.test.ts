import { expect, it } from 'vitest';
import { createSchemaFault } from './schema-errors.ts';

const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

it('names the first rule that a value breaks', () => {
  const schemaFault = createSchemaFault();
  expect(schemaFault(schema, { n: 1 })).toBeNull();
  expect(schemaFault(schema, { n: 'one' })).toBe('/n must be number');
  expect(schemaFault(schema, {})).toBe('/n is missing');
  expect(schemaFault(schema, [])).toBe('it must be object');
  expect(schemaFault(schema, { n: 2 })).toBeNull();
});

it('fails the step for a schema that cannot be used', () => {
  const attempt = () => createSchemaFault()({ type: 'thing' }, 1);
  expect(attempt).toThrow(
    expect.objectContaining({ code: 'config', message: expect.stringMatching(/^'schema' is not/) }),
  );
});
