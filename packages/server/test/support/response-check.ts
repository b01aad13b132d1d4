import { isDeepStrictEqual } from 'node:util';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

/**
 * Compares every successful answer with the schema that its route documents: nothing missing, nothing undocumented.
 * Returns the list that what it finds is added to.
 */
export function checkResponses(app: FastifyInstance): string[] {
  const broken: string[] = [];
  app.addHook('onSend', async (request, reply, payload) => {
    const documented = request.routeOptions.schema?.response as Record<string, unknown> | undefined;
    const schema = documented?.[reply.statusCode];
    if (!(schema instanceof z.ZodType) || typeof payload !== 'string') return payload;
    const where = `${request.method} ${request.routeOptions.url} ${reply.statusCode}`;
    const body: unknown = JSON.parse(payload);
    const parsed = schema.safeParse(body);
    if (!parsed.success) broken.push(`${where}: ${z.prettifyError(parsed.error)}`);
    else if (!isDeepStrictEqual(parsed.data, body))
      broken.push(`${where}: has what its schema does not name: ${payload}`);
    return payload;
  });
  return broken;
}
