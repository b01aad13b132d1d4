import type { Json } from '@millrace/core';
import { maxBodyDepth, parseJson } from '../plumbing/body-parser.ts';
import { checkFormLimits, type JsonLimits } from '../plumbing/json-scan.ts';

/** A table of many thousand rows; a million names in one object would hold up everybody for a second. */
const maxPayloadValues = 200_000;
/** People and services that fill in forms have tens; reading a hundred thousand takes seconds. */
const maxFormFields = 1_000;

/** As deep as any body may be; how long a string is, the size limit alone bounds. */
const payloadLimits: JsonLimits = {
  depth: maxBodyDepth,
  values: maxPayloadValues,
  stringBytes: Number.POSITIVE_INFINITY,
};

/**
 * Reads a webhook's body: JSON of any shape, or a form as an object. No body is an empty object.
 * @throws Problem `malformed` when it is neither, `invalid` when it is nested too deep or has too many values
 */
export function readPayload(body: Buffer | undefined, contentType: string | undefined): Json {
  if (body === undefined || body.length === 0) return {};
  if (contentType !== undefined && isForm(contentType)) {
    checkFormLimits(body, maxFormFields);
    return formObject(body.toString());
  }
  return parseJson(body, payloadLimits);
}

/** Whether a body is the fields of a form. */
export function isForm(contentType: string): boolean {
  return contentType.toLowerCase().startsWith('application/x-www-form-urlencoded');
}

/** Names and their values; of a name given more than once the list of its values. */
function formObject(text: string): Json {
  const values = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const earlier = values.get(name);
    if (earlier === undefined) values.set(name, value);
    else if (typeof earlier === 'string') values.set(name, [earlier, value]);
    else earlier.push(value);
  }
  // fromEntries makes own properties, also of a name like __proto__.
  return Object.fromEntries(values);
}
