import type { Json, JsonObject } from '@millrace/core';
import { maxBodyDepth, parseJson } from '../plumbing/body-parser.ts';
import { checkFormLimits, type JsonLimits } from '../plumbing/json-scan.ts';

/** A table of many thousand rows; a million names in one object would hold up everybody for a second. */
const maxPayloadValues = 200_000;
/** People and services that fill in forms have tens; reading a hundred thousand takes seconds. */
export const maxFormFields = 1_000;

/** As deep as any body may be; how long a string is, the size limit alone bounds. */
export const payloadLimits: JsonLimits = {
  depth: maxBodyDepth,
  values: maxPayloadValues,
  stringBytes: Number.POSITIVE_INFINITY,
};

/**
 * Reads the body of a callback: JSON of any shape, or a form as an object. No body is an empty object.
 * @throws Problem `malformed` when it is neither, `invalid` when it is nested too deep or has too many values
 */
export function readJsonOrForm(body: Buffer | undefined, contentType: string | undefined): Json {
  if (body === undefined || body.length === 0) return {};
  return contentType !== undefined && isForm(contentType) ? readForm(body) : parseJson(body, payloadLimits);
}

/** The fields of a form as an object. @throws Problem `invalid` when there are too many */
export function readForm(body: Buffer): Json {
  checkFormLimits(body, maxFormFields);
  return fieldsObject(new URLSearchParams(body.toString()));
}

/** Whether a body is the fields of a form. */
export function isForm(contentType: string): boolean {
  return contentType.toLowerCase().startsWith('application/x-www-form-urlencoded');
}

/** Names and their values; of a name given more than once the list of its values. */
export function fieldsObject(fields: Iterable<readonly [name: string, value: Json]>): JsonObject {
  const values = new Map<string, Json[]>();
  for (const [name, value] of fields) values.set(name, [...(values.get(name) ?? []), value]);
  // fromEntries makes own properties, also of a name like __proto__.
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? (all[0] ?? null) : all]));
}
