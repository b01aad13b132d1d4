import { isArray, isObject, type Json, type JsonObject } from '@millrace/core';
import { type Field, fieldsOf } from './fields.ts';

/**
 * The keys of a config, each followed by the keys of its objects: `rules[].field`, `pagination.by`. If a key has
 * several kinds of objects, the keys of each kind follow one another, so a key of several kinds has one row per kind.
 */
export function configFieldsOf(schema: JsonObject, prefix = '', outer: readonly Json[] = []): readonly Field[] {
  const properties = isObject(schema.properties) ? schema.properties : {};
  return fieldsOf({ ...schema, properties: withoutInner(properties) }, prefix).flatMap((shown, at) => {
    const [name, field] = Object.entries(properties)[at] ?? [];
    if (name === undefined || !isObject(field)) return [];
    const examples = examplesOf(name, field, outer);
    const inner = objectsIn(field).flatMap(({ schema: within, isItem }) => {
      const all = isItem ? examples.flatMap((list) => (isArray(list) ? list : [])) : examples;
      const values = all.filter((value) => isOfKind(value, within));
      return configFieldsOf(within, `${prefix}${name}${isItem ? '[]' : ''}.`, values);
    });
    const type = field.type === 'array' ? 'array of objects' : 'object';
    return [{ ...shown, examples: unique(examples), ...(inner.length > 0 && { type }) }, ...inner];
  });
}

/** Without the properties of inner objects: `configFieldsOf` adds rows for them. */
function withoutInner(properties: JsonObject): JsonObject {
  const entries = Object.entries(properties).map(([name, field]): [string, Json] => {
    if (!isObject(field) || field.properties === undefined) return [name, field];
    const { properties: _inner, ...rest } = field;
    return [name, rest];
  });
  return Object.fromEntries(entries);
}

interface Inner {
  readonly schema: JsonObject;
  readonly isItem: boolean;
}

function objectsIn(field: JsonObject): readonly Inner[] {
  const alternatives = [field.anyOf, field.oneOf].flatMap((list) => (isArray(list) ? list : []));
  const here = [field, ...alternatives].map((schema) => ({ schema, isItem: false }));
  return [...here, { schema: field.items ?? null, isItem: true }].filter(
    (inner): inner is Inner => isObject(inner.schema) && isObject(inner.schema.properties ?? null),
  );
}

/** Whether a value has the constants of a schema: those of `by` distinguish the kinds of objects. */
function isOfKind(value: Json, { properties }: JsonObject): boolean {
  const constants = Object.entries(isObject(properties ?? null) ? (properties as JsonObject) : {}).flatMap(
    ([name, field]) => (isObject(field) && field.const !== undefined ? [{ name, constant: field.const }] : []),
  );
  return constants.every(({ name, constant }) => valuesAt(value, name).includes(constant));
}

/** The examples of the key; without any, its values in the examples of the object that contains it. */
function examplesOf(name: string, field: JsonObject, outer: readonly Json[]): readonly Json[] {
  if (isArray(field.examples ?? null)) return field.examples as readonly Json[];
  return field.const === undefined ? outer.flatMap((value) => valuesAt(value, name)) : [field.const];
}

function valuesAt(value: Json, name: string): readonly Json[] {
  const found = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return found === undefined ? [] : [found];
}

function unique<Value>(values: readonly Value[]): readonly Value[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
