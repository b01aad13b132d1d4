import { dataKeywords, isArray, isObject, type Json, type JsonObject } from '@millrace/core';

/** References inside the target of the one before. Each makes the compiler call itself: several hundred overflow its stack. */
export const maxReferenceChain = 100;

/** Whether a schema has a chain of references that is too long to be compiled. */
export function hasLongChain(schema: JsonObject): boolean {
  const anchors = new Map<string, Json>();
  for (const part of partsIn(schema)) if (typeof part.$anchor === 'string') anchors.set(part.$anchor, part);
  const seen = new Set<Json>([schema]);
  const isLonger = (from: Json, length: number): boolean => {
    if (length > maxReferenceChain) return true;
    for (const { $ref: reference } of partsIn(from)) {
      const target = typeof reference === 'string' ? targetOf(reference, schema, anchors) : undefined;
      // A target is compiled once.
      if (target === undefined || seen.has(target)) continue;
      seen.add(target);
      if (isLonger(target, length + 1)) return true;
    }
    return false;
  };
  return isLonger(schema, 0);
}

/** The objects in a schema that may be schemas, in the order in which they are written. */
function* partsIn(value: Json): Generator<JsonObject> {
  if (isArray(value)) for (const item of value) yield* partsIn(item);
  if (!isObject(value)) return;
  yield value;
  for (const [key, inner] of Object.entries(value)) if (!dataKeywords.has(key)) yield* partsIn(inner);
}

/** The part of the schema that a reference names; undefined if there is none. */
function targetOf(reference: string, schema: JsonObject, anchors: ReadonlyMap<string, Json>): Json | undefined {
  if (!reference.startsWith('#/')) return reference === '#' ? schema : anchors.get(reference.slice(1));
  let target: Json | undefined = schema;
  for (const written of reference.slice(2).split('/')) {
    const key = decoded(written).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, key)) return undefined;
    target = (target as JsonObject)[key];
  }
  return target;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
