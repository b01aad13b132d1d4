import { cassette, presentCassette } from '@millrace/contract';
import type { FastifyInstance } from 'fastify';
import type { Executions } from '../../../services/executions/executions.ts';
import type { Recordings } from '../../../services/executions/recordings.ts';
import { jsonInPieces } from '../../plumbing/json-in-pieces.ts';
import { addRoute, JsonText } from '../../plumbing/route.ts';
import { whileOpen } from '../../plumbing/waiting-request.ts';

interface CassetteRoutes {
  readonly executions: Pick<Executions, 'find'>;
  readonly recordings: Recordings;
}

/** The endpoint of what executions exchanged with the outside. */
export function addCassettes(app: FastifyInstance, { executions, recordings }: CassetteRoutes): void {
  addRoute(app, {
    method: 'GET',
    path: '/api/v1/executions/:execution_id/cassette/',
    operationId: 'getCassette',
    summary: 'Reads what a recorded execution exchanged with the outside',
    tag: 'Executions',
    access: 'member',
    success: { status: 200, schema: cassette },
    errors: [409, 503],
    load: (caller, { execution_id: id = '' }) => executions.find(caller.user, id),
    handle: async ({ caller: { user }, loaded, request }) => {
      const text = await whileOpen(request, (gone) =>
        recordings.show(loaded, { user, gone }, (exchanges) => jsonInPieces(presentCassette(exchanges))),
      );
      return new JsonText(text);
    },
  });
}
