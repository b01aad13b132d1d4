import { isUtf8 } from 'node:buffer';
import { type Json, Problem } from '@millrace/core';

/**
 * Reads a webhook's body: JSON of any shape, or a form as an object. No body is an empty object.
 * @throws Problem `malformed` when it is neither
 */
export function readPayload(body: Buffer | undefined, contentType: string | undefined): Json {
  if (body === undefined || body.length === 0) return {};
  if (!isUtf8(body)) throw new Problem('malformed', 'Request body is not UTF-8 text.');
  const text = body.toString();
  if (contentType !== undefined && isForm(contentType)) return formObject(text);
  // depth: see parseJson
  return JSON.parse(text) as Json;
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
