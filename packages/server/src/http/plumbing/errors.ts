import { randomBytes } from 'node:crypto';
import { presentIssue } from '@millrace/contract';
import { type ErrorKind, type FieldIssue, InvalidWorkflow, Problem, schemaIssues } from '@millrace/core';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';

/** The status of each kind of error. */
const statusOfKind: Readonly<Record<ErrorKind, number>> = {
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  malformed: 400,
  invalid: 422,
  conflict: 409,
  too_large: 413,
  method_not_allowed: 405,
  unsupported_media: 415,
  rate_limited: 429,
  unavailable: 503,
  // Failures of steps and runs are data of an execution; if one reaches the API, it is a defect.
  step: 500,
  run: 500,
};

/** Seconds: a full disk or queue may have room again soon, but the time is unknown. */
const defaultRetryAfter = 5;

/** Converts zod's issues to the API's form. */
export function fieldIssues(error: z.ZodError, place: 'query' | 'body' | 'path'): FieldIssue[] {
  return schemaIssues(error).map(({ type, path, message }) => ({ type, loc: [place, ...path], msg: message }));
}

/** The HTTP status of a Problem. */
export function statusOf({ kind }: Problem): number {
  return statusOfKind[kind];
}

/** The only place that sets the status and body of a failed request. */
export function answerError(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = error instanceof Problem ? error : problemOf(error);
  if (problem === null) return answerDefect(error, request, reply);
  // Only the operator can fix it.
  if (problem.code === 'data_damaged')
    request.log.error(
      { err: error, method: request.method, route: request.routeOptions.url },
      'stored data is damaged',
    );
  if (problem.kind === 'unauthenticated') reply.header('www-authenticate', 'Bearer');
  if (problem.kind === 'method_not_allowed') reply.header('allow', problem.allow.join(', '));
  if (problem.acceptEncoding.length > 0) reply.header('accept-encoding', problem.acceptEncoding.join(', '));
  if (problem.kind === 'rate_limited' || problem.kind === 'unavailable') {
    reply.header('retry-after', String(problem.retryAfter ?? defaultRetryAfter));
  }
  const issues = problem instanceof InvalidWorkflow ? { issues: problem.issues.map(presentIssue) } : {};
  return send(reply, statusOfKind[problem.kind], { detail: problem.detail, ...issues });
}

/** A defect: the caller gets only an id, which is also in the log. */
function answerDefect(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const id = randomBytes(8).toString('hex');
  request.log.error({ err: error, id, method: request.method, route: request.routeOptions.url }, 'request failed');
  return send(reply, 500, { detail: 'Internal error', id });
}

function send(reply: FastifyReply, status: number, body: object): FastifyReply {
  // The route may have set another type before it failed.
  return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(body));
}

/** Converts Fastify's own errors, whose messages contain its own names for paths, limits and types. */
function problemOf(error: FastifyError | Error): Problem | null {
  const code = 'code' in error ? error.code : undefined;
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('too_large', 'Request body is too large.');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_TYPE':
      return new Problem('unsupported_media', 'Content-Type must be application/json.');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Problem('malformed', 'The length of the request body differs from its Content-Length.');
    case 'FST_ERR_BAD_URL':
      return new Problem('malformed', 'The URL is invalid.');
    case 'FST_ERR_MAX_PARAM_LENGTH':
      // No name is that long, so the object cannot exist.
      return new Problem('not_found', 'Not found');
    default:
      return code?.startsWith('FST_') === true ? otherProblem(error) : null;
  }
}

/** An error of Fastify that a request causes, of a version with more of them; null if the service causes it. */
function otherProblem(error: FastifyError | Error): Problem | null {
  const { statusCode = 500 } = error as FastifyError;
  if (statusCode >= 500) return null;
  if (statusCode === 404) return new Problem('not_found', 'Not found');
  if (statusCode === 413) return new Problem('too_large', 'The request is too large.');
  if (statusCode === 415) return new Problem('unsupported_media', 'The Content-Type is not accepted here.');
  return new Problem('malformed', 'The request is invalid.');
}
