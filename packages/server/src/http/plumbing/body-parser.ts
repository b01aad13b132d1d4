import { isUtf8 } from 'node:buffer';
import { isArray, type Json, Problem } from '@millrace/core';
import type { FastifyInstance } from 'fastify';
import { checkJsonLimits, type JsonLimits } from './json-scan.ts';

/** Levels: what walks a body later calls itself as often, and must not overflow the stack. */
export const maxBodyDepth = 64;
/** No document that the API takes comes near. */
const maxValues = 50_000;
/** A workflow's text may have 256 KiB, and is longer as it is written: each of its lines ends in two characters. */
const maxStringBytes = 512 * 1024;

/** Of an API body. */
const apiLimits: JsonLimits = { depth: maxBodyDepth, values: maxValues, stringBytes: maxStringBytes };

/**
 * Reads JSON of bounded structure. Keys named `__proto__` become own properties, as any other.
 * @throws Problem `malformed` when it is not JSON, `invalid` when it is too much of it
 */
export function parseJson(bytes: Buffer, limits: JsonLimits): Json {
  if (!isUtf8(bytes)) throw new Problem('malformed', 'Request body is not UTF-8 text.');
  checkJsonLimits(bytes, limits);
  try {
    return JSON.parse(bytes.toString()) as Json;
  } catch {
    // The engine's message quotes the body, which may hold a secret.
    throw new Problem('malformed', 'Request body is not valid JSON.');
  }
}

/**
 * Reads the body of an API call; undefined when there is none, so that the route's schema says what is missing.
 * @throws Problem `malformed` or `invalid`
 */
function parseBody(bytes: Buffer): Json | undefined {
  if (bytes.length === 0) return undefined;
  const value = parseJson(bytes, apiLimits);
  // All that must not be stored is written with an escape, or is this name: most bodies hold neither.
  if (bytes.includes('\\u') || bytes.includes('__proto__')) rejectUnstorable(value, ['body']);
  return value;
}

/** A body that cannot be taken. It is the route that says so: what its path names may not exist, and that comes first. */
class BadBody {
  readonly problem: Problem;

  constructor(problem: Problem) {
    this.problem = problem;
  }
}

/** The body of a request that was parsed here. @throws Problem where it cannot be taken */
export function bodyOf({ body }: { readonly body: unknown }): unknown {
  if (body instanceof BadBody) throw body.problem;
  return body;
}

/** JSON is all that the API takes. A request without a body may say anything of its type. */
export function addBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, bytes: Buffer) => {
    try {
      return parseBody(bytes);
    } catch (error) {
      if (error instanceof Problem) return new BadBody(error);
      throw error;
    }
  });
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
    for (const [key, item] of Object.entries(value)) {
      if (key === '__proto__') throw new Problem('malformed', "Request body has a key named '__proto__'.");
      rejectText(key, place);
      rejectUnstorable(item, [...place, key]);
    }
  }
}

/** A database text holds neither; half a surrogate pair would come back as another character. */
function rejectText(text: string, place: Place): void {
  if (text.isWellFormed() && !text.includes('\0')) return;
  const msg = 'Text must not hold the character U+0000 or half of a surrogate pair';
  throw new Problem('invalid', [{ type: 'invalid_text', loc: place, msg }]);
}
