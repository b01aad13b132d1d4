import { type Json, type JsonObject, type Meter, StepError } from '@millrace/core';
import { WeighedCache } from '../../ground/weighed-cache.ts';
import { type CompiledSchema, compileSchema, SchemaError } from './json-schema.ts';

/**
 * Describes the first rule of a schema that a value violates; null if it is valid.
 * @throws StepError `config` for a schema that cannot be used
 */
export type SchemaIssue = (schema: JsonObject, value: Json, meter?: Meter) => string | null;

/** Estimated memory of compiled schemas. */
const cacheBytes = 10_000_000;
/** A compiled schema has its own compiler, and code that is longer than its text. */
const leastBytes = 100_000;
const bytesPerCharacter = 20;

/** Each schema is compiled once while it is in use. Each run of an agent has its own copy of the schemas of its tools. */
export function createSchemaIssue(): SchemaIssue {
  const compiled = new WeakMap<JsonObject, CompiledSchema>();
  const byText = new WeighedCache<string, CompiledSchema>(cacheBytes);

  function find(schema: JsonObject): CompiledSchema {
    const known = compiled.get(schema) ?? findByText(schema);
    compiled.set(schema, known);
    return known;
  }

  function findByText(schema: JsonObject): CompiledSchema {
    const text = JSON.stringify(schema);
    const known = byText.get(text) ?? compile(schema);
    byText.set(text, known, leastBytes + bytesPerCharacter * text.length);
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
