import { type Json, type JsonObject, type Meter, StepError } from '@millrace/core';
import { type CompiledSchema, compileSchema, SchemaError } from './json-schema.ts';

/**
 * Describes the first rule of a schema that a value violates; null if it is valid.
 * @throws StepError `config` for a schema that cannot be used
 */
export type SchemaIssue = (schema: JsonObject, value: Json, meter?: Meter) => string | null;

/** Each schema is compiled once while its plan is cached. */
export function createSchemaIssue(): SchemaIssue {
  const compiled = new WeakMap<JsonObject, CompiledSchema>();

  function find(schema: JsonObject): CompiledSchema {
    const known = compiled.get(schema) ?? compile(schema);
    compiled.set(schema, known);
    return known;
  }

  return (schema, value, meter) => {
    const issue = find(schema)(value, { meter });
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
