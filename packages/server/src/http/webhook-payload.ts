import type { Json } from '@millrace/core';
import { parseJson } from './body-parser.ts';
import type { JsonLimits } from './json-scan.ts';

/** As deep as any body may be; the size limit alone bounds how much data a sender has to say. */
const payloadLimits: JsonLimits = { depth: 64, values: Number.POSITIVE_INFINITY };

/**
 * Reads a webhook's body: JSON of any shape, or a form as an object. No body is an empty object.
 * @throws Problem `malformed` when it is neither, `invalid` when it is nested too deep
 */
export function readPayload(body: Buffer | undefined, contentType: string | undefined): Json {
  if (body === undefined || body.length === 0) return {};
  if (contentType !== undefined && isForm(contentType)) return formObject(body.toString());
  return parseJson(body, payloadLimits);
}

function isForm(contentType: string): boolean {
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
