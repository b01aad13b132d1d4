import { type Json, type JsonLimits, type JsonObject, maxContainers, maxDifferentNames } from '@millrace/core';
import { checkFormLimits } from '../plumbing/body-limits.ts';
import { maxBodyDepth, parseJson } from '../plumbing/body-parser.ts';

/** Real forms have tens of fields; parsing a hundred thousand takes seconds. */
export const maxFormFields = 1_000;

/** Only the size of the body limits what parses quickly: numbers, strings, and the rows of a table. */
export const payloadLimits: JsonLimits = {
  depth: maxBodyDepth,
  values: Number.POSITIVE_INFINITY,
  containers: maxContainers,
  names: maxDifferentNames,
  stringLength: Number.POSITIVE_INFINITY,
};

/**
 * Parses the body of a callback: JSON of any shape, or a form as an object. No body is an empty object.
 * @throws Problem `malformed` if it is neither, `invalid` if it exceeds one of the limits
 */
export function readJsonOrForm(body: Buffer | undefined, contentType: string | undefined): Json {
  if (body === undefined || body.length === 0) return {};
  return contentType !== undefined && isForm(contentType) ? readForm(body) : parseJson(body, payloadLimits);
}

/** The fields of a form as an object. @throws Problem `invalid` if there are too many */
export function readForm(body: Buffer): Json {
  checkFormLimits(body, maxFormFields);
  return fieldsObject(new URLSearchParams(body.toString()));
}

/** Whether a body is an URL-encoded form. */
export function isForm(contentType: string): boolean {
  return contentType.toLowerCase().startsWith('application/x-www-form-urlencoded');
}

/** Names and their values; for a repeated name, the list of its values. */
export function fieldsObject(fields: Iterable<readonly [name: string, value: Json]>): JsonObject {
  const values = new Map<string, Json[]>();
  for (const [name, value] of fields) values.set(name, [...(values.get(name) ?? []), value]);
  // fromEntries creates own properties, even for a name such as __proto__.
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? (all[0] ?? null) : all]));
}
