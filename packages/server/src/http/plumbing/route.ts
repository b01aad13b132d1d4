import type { Readable } from 'node:stream';
import { type ApiKey, type FieldIssue, Problem, type User } from '@millrace/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { slices } from '../../ground/slices.ts';
import { bodyOf } from '../bodies/body-parser.ts';
import { checkNames } from '../handling/unknown-names.ts';
import { preferHeader } from '../openapi/headers.ts';
import type { PathParameter } from '../openapi/path-parameters.ts';
import { errorResponses, type FurtherError } from './error-responses.ts';
import { fieldIssues } from './errors.ts';
import { accessTexts, type RouteAccess } from './route-access.ts';

/** The authenticated user and the API key of a request, set by the authentication hook. */
export interface Caller {
  readonly user: User;
  /** Null for a request that this process makes for the owner of a run. */
  readonly key: ApiKey | null;
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    /** `none` for the few public routes; `webhook` also accepts `?api_key=` and has its own message for 401. */
    auth?: RouteAuth;
    /** Who may call an endpoint that needs a key of full scope. */
    access?: RouteAccess;
    /** Disables the origin check: the URL contains a secret that authorises the request. */
    fromAnywhere?: boolean;
    /** Examples of request bodies for the documentation; a test sends them. */
    examples?: readonly unknown[];
    /** The documentation of parameters of the path that other routes do not have. */
    params?: Readonly<Record<string, PathParameter>>;
  }
}

export type RouteAuth = 'key' | 'webhook' | 'none';

/** The input of a handler, checked in this order: authentication, path object, body. */
export interface Call<Loaded, Query, Body> {
  readonly caller: Caller;
  /** The object that the path names, such as the workflow of `/workflows/:slug/`, as `load` returned it. */
  readonly loaded: Loaded;
  readonly query: Query;
  readonly body: Body;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** An endpoint as data: its documentation, its schemas and its action. */
export interface Route<Loaded, Query extends z.ZodType, Body extends z.ZodType> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The documented path, with a trailing slash like all paths of the API: `/api/v1/workflows/:slug/`. */
  readonly path: string;
  /** The unique name of the operation in generated clients: a verb and its object, such as `createWorkflow`. */
  readonly operationId: string;
  readonly summary: string;
  readonly tag: string;
  /** Who may call it, for the documentation; a test compares it with the responses to all kinds of callers. */
  readonly access: RouteAccess;
  /** The parameters of the path that are not in `sharedParameters` (openapi/path-parameters.ts). */
  readonly params?: Readonly<Record<string, PathParameter>>;
  readonly query?: Query;
  /** A named schema (contract/base/named.ts), like those of responses. */
  readonly body?: Body;
  /** Request headers besides `Prefer`, from openapi/headers.ts. */
  readonly headers?: z.ZodRawShape;
  /** Examples of request bodies for the documentation; a test sends them in the order of docs/api.md. */
  readonly examples?: readonly z.input<Body>[];
  /** The status and schema of success; null for no content. */
  readonly success: { readonly status: 200 | 201 | 202 | 204; readonly schema: z.ZodType | null };
  /** The schemas of further successful responses, by status. */
  readonly others?: Readonly<Partial<Record<200 | 202, z.ZodType>>>;
  /** Errors besides those derived from its method, path and body, such as 409. */
  readonly errors?: readonly FurtherError[];
  /** The schemas of error responses with their own body, by status. */
  readonly rejections?: Readonly<Record<number, z.ZodType>>;
  /** Finds the path object, or throws Problem `not_found`, before the body is validated. */
  readonly load?: (caller: Caller, params: Readonly<Record<string, string>>) => Promise<Loaded>;
  /** Returns the body of the successful response (data or a JsonText), an OtherAnswer, an EventAnswer, or a Rejection. */
  readonly handle: (call: Call<Loaded, z.output<Query>, z.output<Body>>) => Promise<unknown>;
}

const json = 'application/json; charset=utf-8';

type PublicParts = 'method' | 'path' | 'operationId' | 'summary' | 'tag' | 'body' | 'examples' | 'success';

/** A public endpoint as data. */
export interface PublicRoute<Body extends z.ZodType> extends Pick<Route<undefined, z.ZodType, Body>, PublicParts> {
  /** Returns the body of the successful response. */
  readonly handle: (
    call: Pick<Call<undefined, unknown, z.output<Body>>, 'body' | 'request' | 'reply'>,
  ) => Promise<unknown>;
}

/** JSON that is already serialized and sent unchanged. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** An error response with its own body, documented in the route's `rejections`. */
export class Rejection {
  readonly status: number;
  readonly body: object;

  constructor(status: number, body: object) {
    this.status = status;
    this.body = body;
  }
}

/** A successful response with its own status, or with text that is not JSON. */
export class OtherAnswer {
  readonly status: 200 | 201 | 202;
  readonly text: string;
  readonly type: string;

  constructor(status: 200 | 201 | 202, text: string, type = json) {
    this.status = status;
    this.text = text;
    this.type = type;
  }
}

/** A successful response whose events are sent as they happen. */
export class EventAnswer {
  readonly events: Readable;

  constructor(events: Readable) {
    this.events = events;
  }
}

/** The documentation of a 204, which has no body. */
const noContent = z.undefined().describe('The request succeeded.');

/** Adds an endpoint to the service and to its OpenAPI document. */
export function addRoute<Loaded = undefined, Query extends z.ZodType = z.ZodType, Body extends z.ZodType = z.ZodType>(
  app: FastifyInstance,
  route: Route<Loaded, Query, Body>,
): void {
  const { status, schema } = route.success;
  const { method, path, errors: further = [] } = route;
  const description = accessTexts[route.access];
  app.route({
    method,
    url: path,
    config: {
      auth: 'key',
      access: route.access,
      ...(route.examples && { examples: route.examples }),
      ...(route.params && { params: route.params }),
    },
    schema: {
      operationId: route.operationId,
      summary: route.summary,
      ...(description !== null && { description }),
      tags: [route.tag],
      security: [{ apiKey: [] }, { session: [] }],
      headers: z.object({ ...preferHeader, ...route.headers }),
      ...(route.query && { querystring: route.query }),
      ...(route.body && { body: route.body }),
      response: {
        ...route.others,
        [status]: schema ?? noContent,
        ...errorResponses({ method, path, takesBody: route.body !== undefined, further }),
        ...route.rejections,
      },
    },
    handler: (request, reply) => answer(route, request, reply),
  });
}

/** Adds an endpoint that needs no key. */
export function addPublicRoute<Body extends z.ZodType = z.ZodType>(
  app: FastifyInstance,
  route: PublicRoute<Body>,
): void {
  const { method, path, operationId, summary, tag, body, examples, success } = route;
  const shape = { method, path, takesBody: body !== undefined, further: [] };
  app.route({
    method,
    url: path,
    config: { auth: 'none', ...(examples && { examples }) },
    schema: {
      operationId,
      summary,
      tags: [tag],
      security: [],
      headers: z.object(preferHeader),
      ...(body && { body }),
      response: { [success.status]: success.schema ?? noContent, ...errorResponses(shape) },
    },
    handler: async (request, reply) => {
      const checked = checkedRequest({ body }, request, reply);
      return sendResult(reply, success.status, await route.handle({ body: checked.body, request, reply }));
    },
  });
}

/** Characters of an answer that takes a millisecond to encode. */
const largeAnswer = 524_288;

async function answer<Loaded, Query extends z.ZodType, Body extends z.ZodType>(
  route: Route<Loaded, Query, Body>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const caller = request.caller;
  if (caller === null) throw new Problem('not_authenticated', 'Not authenticated');
  const params = request.params as Record<string, string>;
  const loaded = (await route.load?.(caller, params)) as Loaded;
  const { query, body } = checkedRequest(route, request, reply);
  const result = await route.handle({ caller, loaded, query, body, request, reply });
  const sent = result instanceof Rejection ? result.body : result;
  // To encode a large text is not divided.
  if (sent instanceof JsonText && sent.text.length > largeAnswer) await slices.turn();
  return sendResult(reply, route.success.status, result);
}

/** @param status of success, unless the result has its own */
function sendResult(reply: FastifyReply, status: number, result: unknown): FastifyReply {
  if (result instanceof OtherAnswer)
    return reply.code(result.status).header('content-type', result.type).send(result.text);
  if (result instanceof EventAnswer) {
    // The second header is for proxies that collect an answer before they pass it on.
    const headers = { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' };
    return reply.code(200).headers(headers).send(result.events);
  }
  if (result instanceof Rejection) {
    return reply.code(result.status).header('content-type', json).send(textOf(result.body));
  }
  if (status === 204) return reply.code(status).send();
  return reply.code(status).header('content-type', json).send(textOf(result));
}

function textOf(result: unknown): string {
  return result instanceof JsonText ? result.text : JSON.stringify(result);
}

interface Schemas<Query extends z.ZodType, Body extends z.ZodType> {
  readonly query?: Query | undefined;
  readonly body?: Body | undefined;
}

interface Checked<Query extends z.ZodType, Body extends z.ZodType> {
  readonly query: z.output<Query>;
  readonly body: z.output<Body>;
}

/** The validated query and body. @throws Problem with all issues of both */
export function checkedRequest<Query extends z.ZodType, Body extends z.ZodType>(
  schemas: Schemas<Query, Body>,
  request: FastifyRequest,
  reply: FastifyReply,
): Checked<Query, Body> {
  const given = bodyOf(request);
  const unknown = checkNames({ query: schemas.query, body: schemas.body }, { request, reply, body: given });
  const query = read(schemas.query, request.query, 'query');
  if (query.issues.length > 0) rejectRepeated(request.query as Readonly<Record<string, unknown>>);
  const body = read(schemas.body, given, 'body');
  const issues = [...unknown, ...query.issues, ...body.issues];
  if (issues.length > 0) throw new Problem('invalid', issues);
  return { query: query.data as z.output<Query>, body: body.data as z.output<Body> };
}

const repetition = 'is repeated: send it once';

/** No parameter of the API may be repeated: which of its values is meant is not known. */
function rejectRepeated(query: Readonly<Record<string, unknown>>): void {
  const repeated = Object.keys(query).find((name) => Array.isArray(query[name]));
  if (repeated === undefined) return;
  throw new Problem('invalid', [{ type: 'value_error', loc: ['query', repeated.slice(0, 100)], msg: repetition }]);
}

interface Reading {
  readonly data?: unknown;
  readonly issues: readonly FieldIssue[];
}

function read(schema: z.ZodType | undefined, value: unknown, place: 'query' | 'body'): Reading {
  if (schema === undefined) return { issues: [] };
  const parsed = schema.safeParse(value);
  return parsed.success ? { data: parsed.data, issues: [] } : { issues: fieldIssues(parsed.error, place) };
}

/** Parses a database id from a path; null if the text cannot be an id. */
export function pathId(text: string | undefined): number | null {
  // 15 digits are less than 2^53, so the number is exact.
  return text !== undefined && /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : null;
}
