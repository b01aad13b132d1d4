/** A JSON value, as passed between steps and stored in the journal. Immutable by type. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. User-chosen keys may be any string: read them with `own`, never with `in`. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** True for a JSON object, false for null, arrays and scalars. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for a JSON array. (`Array.isArray` does not narrow a readonly array.) */
export function isArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** The own property of an object, or undefined: names inherited from a prototype are not visible to users. */
export function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
