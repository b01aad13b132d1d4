import { health, invalidBody } from '@millrace/contract';
import { Problem } from '@millrace/core';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { preferHeader } from '../../openapi/headers.ts';
import { checkedRequest } from '../../plumbing/route.ts';

interface HealthRoutes {
  readonly version: string;
  /** Resolves if the database responds. */
  readonly ping: () => Promise<void>;
}

/** The endpoint for monitoring: whether the service is available. It is public and returns nothing else. */
export function addHealth(app: FastifyInstance, { version, ping }: HealthRoutes): void {
  app.route({
    method: 'GET',
    url: '/health/',
    config: { auth: 'none' },
    schema: {
      operationId: 'getHealth',
      summary: 'Reports whether the service is available',
      tags: ['Service'],
      security: [],
      headers: z.object(preferHeader),
      response: {
        200: health,
        422: invalidBody.describe('The request has a query parameter and `Prefer: handling=strict`.'),
        503: health,
      },
    },
    handler: async (request, reply) => {
      checkedRequest({}, request, reply);
      try {
        await ping();
        return { status: 'ok', version, database: 'ok' };
      } catch (error) {
        if (!(error instanceof Problem)) request.log.error({ err: error }, 'the database does not respond');
        return reply.code(503).send({ status: 'unavailable', version, database: 'unavailable' });
      }
    },
  });
}
