import { isDeepStrictEqual } from 'node:util';
import { errorBody, invalidBody } from '@millrace/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';

/**
 * Compares every successful response with the documented schema of its route, with nothing missing and nothing
 * undocumented, and every other response with the form of errors. Returns the list to which violations are added.
 */
export function checkResponses(app: FastifyInstance): string[] {
  const broken: string[] = [];
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || !String(reply.getHeader('content-type')).startsWith('application/json'))
      return payload;
    const body: unknown = JSON.parse(payload);
    const schema = documentedAt(request, reply.statusCode) ?? formOf(reply.statusCode);
    // Hidden routes document nothing.
    const undocumented = request.routeOptions.schema?.hide === true ? null : 'is not documented';
    const violation = schema === undefined ? undocumented : issueOf(schema, body);
    if (violation !== null)
      broken.push(`${request.method} ${request.routeOptions.url} ${reply.statusCode}: ${violation}`);
    return payload;
  });
  return broken;
}

function documentedAt(request: FastifyRequest, status: number): z.ZodType | undefined {
  const responses = request.routeOptions.schema?.response as Record<string, unknown> | undefined;
  // As in Fastify, an exact status has precedence over its range.
  const schema = responses?.[status] ?? responses?.[`${Math.floor(status / 100)}xx`];
  return schema instanceof z.ZodType ? schema : undefined;
}

/** The form of a response that its route does not document. */
function formOf(status: number): z.ZodType | undefined {
  if (status < 400) return undefined;
  return status === 422 ? invalidBody : errorBody;
}

function issueOf(schema: z.ZodType, body: unknown): string | null {
  const parsed = schema.safeParse(body);
  if (!parsed.success) return z.prettifyError(parsed.error);
  if (schema === errorBody || isDeepStrictEqual(parsed.data, body)) return null;
  return `has what its schema does not name: ${JSON.stringify(body)}`;
}
