import { type ErrorKind, type FieldIssue, Problem } from '@millrace/core';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';

const statusOfKind: Readonly<Record<ErrorKind, number>> = {
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  malformed: 400,
  invalid: 422,
  conflict: 409,
  too_large: 413,
  unsupported_media: 415,
  rate_limited: 429,
  unavailable: 503,
  // Failures of steps and runs are data of an execution; one that reaches the API is a defect.
  step: 500,
  run: 500,
};

/** Turns zod's issues into the API's form: where, and what. */
export function fieldIssues(error: z.ZodError, place: 'query' | 'body' | 'path'): FieldIssue[] {
  return error.issues.map((issue) => ({
    type: issue.code,
    loc: [place, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))],
    msg: issue.message,
  }));
}

/** The one place where a failed request gets its status and body. */
export function answerError(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = error instanceof Problem ? error : problemOf(error);
  if (problem === null) {
    request.log.error({ err: error }, 'request failed');
    return reply.code(500).send({ detail: 'Internal error', id: request.id });
  }
  if (problem.kind === 'unauthenticated') reply.header('www-authenticate', 'Bearer');
  if (problem.kind === 'rate_limited') reply.header('retry-after', '60');
  if (problem.kind === 'unavailable') reply.header('retry-after', '5');
  return reply.code(statusOfKind[problem.kind]).send({ detail: problem.detail });
}

/** What Fastify itself refuses, in our words: its own name paths, limits and types. */
function problemOf(error: FastifyError | Error): Problem | null {
  const code = 'code' in error ? error.code : undefined;
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('too_large', 'Request body is too large.');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem('unsupported_media', 'Content-Type must be application/json.');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Problem('malformed', 'Request body is shorter or longer than its Content-Length.');
    default:
      return null;
  }
}
