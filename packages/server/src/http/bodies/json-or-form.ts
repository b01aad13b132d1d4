import { bodyKindOf, type Json, type JsonLimits, maxContainers, maxDifferentNames } from '@millrace/core';
import { charsetIn } from '../../ground/charsets.ts';
import { maxBodyDepth, parseJson } from './body-parser.ts';
import { readForm } from './form.ts';

/** Only the size of the body limits what parses quickly: numbers, strings, and the rows of a table. */
const payloadLimits: JsonLimits = {
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
  return isForm(contentType) ? readForm(body, charsetIn(contentType)) : readJson(body, contentType);
}

/** Parses JSON of any shape. @throws Problem `malformed`, or `invalid` if it exceeds one of the limits */
export function readJson(body: Buffer, contentType: string | undefined): Json {
  return parseJson(body, payloadLimits, charsetIn(contentType));
}

/** Whether a body is an URL-encoded form. */
export function isForm(contentType: string | undefined): boolean {
  return bodyKindOf(contentType) === 'form';
}
