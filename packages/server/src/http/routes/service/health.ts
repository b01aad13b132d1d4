import { health, invalidBody } from '@millrace/contract';
import { Problem } from '@millrace/core';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { preferHeader } from '../../openapi/headers.ts';
import { checkedRequest } from '../../plumbing/route.ts';

interface HealthRoutes {
  readonly version: string;
  /** Rejects with the reason if the database cannot be relied on. */
  readonly ping: () => Promise<void>;
  /** False until the start is complete. */
  readonly isReady: () => boolean;
}

/** The endpoint for monitoring: whether the service is available. It is public and returns nothing else. */
export function addHealth(app: FastifyInstance, { version, ping, isReady }: HealthRoutes): void {
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
      } catch (error) {
        if (!(error instanceof Problem)) request.log.error({ err: error }, 'the database does not respond');
        const reason = error instanceof Problem ? error.detail : 'The database does not respond.';
        return reply.code(503).send({ status: 'unavailable', version, database: 'unavailable', reason });
      }
      if (isReady()) return { status: 'ok', version, database: 'ok' };
      const reason = 'The service is starting: its first API key does not work yet.';
      return reply.code(503).send({ status: 'unavailable', version, database: 'ok', reason });
    },
  });
}
