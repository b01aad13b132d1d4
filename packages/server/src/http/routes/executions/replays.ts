import { executeAnswer, execution, presentExecution, replayRequest, retryRequest } from '@millrace/contract';
import type { FastifyInstance } from 'fastify';
import type { Replays } from '../../../services/executions/replays.ts';
import { idempotencyKeyHeader } from '../../openapi/headers.ts';
import { idempotencyOf, markReplayed } from '../../plumbing/idempotency-key.ts';
import { addRoute } from '../../plumbing/route.ts';

const tag = 'Executions';

/** The endpoints that retry and replay executions. */
export function addReplays(app: FastifyInstance, replays: Replays): void {
  addRoute(app, {
    method: 'POST',
    path: '/api/v1/executions/:execution_id/retry/',
    operationId: 'retryExecution',
    summary: 'Continues a failed execution from the node that failed',
    tag,
    access: 'editor',
    body: retryRequest.optional(),
    examples: [{}, { version: 4 }],
    success: { status: 200, schema: execution },
    errors: [409],
    load: (caller, { execution_id: id = '' }) => replays.find(caller.user, id),
    handle: async ({ loaded, body }) => presentExecution(await replays.retry(loaded, body?.version ?? null)),
  });
  addRoute(app, {
    method: 'POST',
    path: '/api/v1/executions/:execution_id/replay/',
    operationId: 'replayExecution',
    summary: 'Starts an execution that reuses the results of this one up to a node',
    tag,
    access: 'editor',
    headers: idempotencyKeyHeader,
    body: replayRequest,
    examples: [{ from_node: 'greet', overrides: { hook: { payload: { name: 'again' } } } }],
    success: { status: 200, schema: executeAnswer },
    errors: [409],
    load: (caller, { execution_id: id = '' }) => replays.find(caller.user, id),
    handle: async ({ loaded, body, request, reply }) => {
      const { from_node: fromNode, to_node: toNode = null, overrides = {}, version = null } = body;
      const idempotency = idempotencyOf(request.headers, body);
      const { id, created, status } = await replays.replay(loaded, {
        fromNode,
        toNode,
        overrides,
        version,
        idempotency,
      });
      if (!created) markReplayed(reply);
      return { execution_id: id, status };
    },
  });
}
