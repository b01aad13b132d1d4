import { type Json, type JsonObject, StepError } from '@millrace/core';
import { type CompiledSchema, compileSchema, SchemaError } from './json-schema.ts';

/**
 * Finds the first rule of a schema that a value breaks, in words; null when it fits.
 * @throws StepError `config` for a schema that cannot be used
 */
export type SchemaIssue = (schema: JsonObject, value: Json) => string | null;

/** Each schema is compiled once for as long as the plan that holds it is kept. */
export function createSchemaIssue(): SchemaIssue {
  const compiled = new WeakMap<JsonObject, CompiledSchema>();

  function find(schema: JsonObject): CompiledSchema {
    const known = compiled.get(schema) ?? compile(schema);
    compiled.set(schema, known);
    return known;
  }

  return (schema, value) => {
    const issue = find(schema)(value);
    return issue && `${issue.pointer === '' ? 'it' : issue.pointer} ${issue.message}`;
  };
}

function compile(schema: JsonObject): CompiledSchema {
  try {
    return compileSchema(schema);
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    throw new StepError('config', `'schema' ${error.message}.`);
  }
}
