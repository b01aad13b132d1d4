import { exactJson, isArray, type Json, type JsonLimits, Problem } from '@millrace/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { checkJsonLimits } from './body-limits.ts';
import { bodyText } from './body-text.ts';
import { turnFor } from './body-turns.ts';
import { decodedBody } from './content-encoding.ts';

/** Maximum depth: later functions recurse over the body and must not overflow the stack. */
export const maxBodyDepth = 64;
/** More than any document that the API accepts. */
const maxValues = 50_000;
/** A workflow's text may have 256 KiB, and is longer in JSON, where each line break is two characters. */
const maxStringLength = 512 * 1024;

/** Maximum bytes of an API body. */
const apiLimits: JsonLimits = {
  depth: maxBodyDepth,
  values: maxValues,
  containers: maxValues,
  names: maxValues,
  stringLength: maxStringLength,
};

/**
 * Parses JSON of bounded structure. Keys named `__proto__` become own properties like any other. A number that a double
 * cannot hold is text.
 * @param charset null for UTF-8, which is the only charset of JSON by RFC 8259
 * @throws Problem `malformed` if it is not JSON, `invalid` if it exceeds a limit
 */
export function parseJson(bytes: Buffer, limits: JsonLimits, charset: string | null = null): Json {
  return parseText(bodyText(bytes, charset), limits);
}

function parseText(text: string, limits: JsonLimits): Json {
  checkJsonLimits(text, limits);
  try {
    return exactJson(text);
  } catch {
    // The engine's message quotes the body, which may contain a secret.
    throw new Problem('malformed', 'Request body is not valid JSON.');
  }
}

/**
 * Parses the body of an API call; undefined if there is none, so that the route's schema reports what is missing.
 * @throws Problem `malformed` or `invalid`
 */
function parseBody(bytes: Buffer): Json | undefined {
  if (bytes.length === 0) return undefined;
  const text = bodyText(bytes, null);
  const value = parseText(text, apiLimits);
  // Texts and keys that must not be stored contain an escape or this name; most bodies contain neither. The text is
  // examined, because bytes of another encoding than UTF-8 contain them in another form.
  if (text.includes('\\u') || text.includes('__proto__')) rejectUnstorable(value, ['body']);
  return value;
}

/** A rejected body. The route reports it, because a 404 for an object in its path has priority. */
class BadBody {
  readonly problem: Problem;

  constructor(problem: Problem) {
    this.problem = problem;
  }
}

/** The parsed body of a request. @throws Problem if the body was rejected */
export function bodyOf({ body }: { readonly body: unknown }): unknown {
  if (body instanceof BadBody) throw body.problem;
  return body;
}

/** Passes bodies of any type to the handler as bytes, still encoded. */
export function addRawBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

/** The API accepts only JSON. A request without a body may have any Content-Type. */
export function addBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const parse = async (request: FastifyRequest, bytes: Buffer) => {
    try {
      const decoded = await decodedBody(request, bytes, request.routeOptions.bodyLimit);
      await turnFor(decoded);
      return parseBody(decoded);
    } catch (error) {
      if (error instanceof Problem) return new BadBody(error);
      throw error;
    }
  };
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, parse);
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, bytes: Buffer) => {
    if (bytes.length === 0) return undefined;
    return new BadBody(new Problem('unsupported_media', 'Content-Type must be application/json.'));
  });
}

type Place = readonly (string | number)[];

function rejectUnstorable(value: Json, place: Place): void {
  if (typeof value === 'string') rejectText(value, place);
  else if (isArray(value)) {
    for (const [index, item] of value.entries()) rejectUnstorable(item, [...place, index]);
  } else if (value !== null && typeof value === 'object') {
    // Listing the entries of an object with very many takes three times as long. JSON has own names only.
    for (const key in value) {
      if (key === '__proto__') throw new Problem('malformed', "Request body has a key named '__proto__'.");
      rejectText(key, place);
      rejectUnstorable(value[key] ?? null, [...place, key]);
    }
  }
}

/** The database cannot store U+0000, and half a surrogate pair would become another character. */
function rejectText(text: string, place: Place): void {
  if (text.isWellFormed() && !text.includes('\0')) return;
  const msg = 'Text must not contain the character U+0000 or half of a surrogate pair';
  throw new Problem('invalid', [{ type: 'invalid_text', loc: place, msg }]);
}
