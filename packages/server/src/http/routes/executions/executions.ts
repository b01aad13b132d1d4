import {
  exchangesIn,
  executeAnswer,
  executeRequest,
  execution,
  executionBatch,
  executionDetail,
  executionDetailQuery,
  executionList,
  executionQuery,
  presentExecution,
  presentExecutionDetail,
  resumeRequest,
} from '@millrace/contract';
import { Problem, type Workflow } from '@millrace/core';
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { Executions } from '../../../services/executions/executions.ts';
import type { AskedRecording } from '../../../services/executions/recordings.ts';
import type { Waits } from '../../../services/executions/waits.ts';
import { idempotencyKeyHeader } from '../../openapi/headers.ts';
import { idempotencyOf, markReplayed } from '../../plumbing/idempotency-key.ts';
import { jsonInPieces } from '../../plumbing/json-in-pieces.ts';
import { addRoute, type Caller, JsonText } from '../../plumbing/route.ts';
import { whileOpen } from '../../plumbing/waiting-request.ts';

interface ExecutionRoutes {
  readonly executions: Executions;
  readonly waits: Waits;
  /** The workflow, if the caller may start it manually. */
  readonly loadRunnable: (caller: Caller, slug: string) => Promise<Workflow>;
}

const tag = 'Executions';

/** The endpoints of executions, and the one that starts a workflow manually. */
export function addExecutions(app: FastifyInstance, { executions, waits, loadRunnable }: ExecutionRoutes): void {
  addRoute(app, {
    method: 'GET',
    path: '/api/v1/executions/',
    operationId: 'listExecutions',
    summary: 'Lists executions, newest first',
    tag,
    access: 'user',
    query: executionQuery,
    success: { status: 200, schema: executionList },
    handle: async ({ caller, query: { workflow_slug: workflowSlug, ...filter } }) => {
      const { items, total } = await executions.list(caller.user, { ...filter, workflowSlug });
      return { items: items.map(presentExecution), total };
    },
  });
  addRoute(app, {
    method: 'POST',
    path: '/api/v1/executions/batch-delete/',
    operationId: 'deleteExecutions',
    summary: 'Deletes executions that have ended',
    tag,
    access: 'user',
    body: executionBatch,
    examples: [{ execution_ids: ['01980000-0000-7000-8000-000000000000'] }],
    success: { status: 204, schema: null },
    handle: ({ caller, body }) => executions.remove(caller.user, body.execution_ids),
  });
  addRoute(app, {
    method: 'GET',
    path: '/api/v1/executions/:execution_id/',
    operationId: 'getExecution',
    summary: 'Reads an execution with its logs',
    tag,
    access: 'member',
    query: executionDetailQuery,
    success: { status: 200, schema: executionDetail },
    // Access first: to read a large journal takes time, which would reveal a foreign execution.
    load: (caller, { execution_id: id = '' }) => executions.find(caller.user, id),
    errors: [503],
    handle: async ({ caller: { user }, loaded, query: { log }, request }) => {
      const detail = await whileOpen(request, (gone) =>
        executions.show(loaded, { user, gone, promptOf: log }, async (run, entries) => {
          const end = run.journal.at(-1)?.fact;
          return presentExecutionDetail(run, {
            payload: run.trigger.payload,
            finalOutput: run.finalOutput,
            log: entries,
            errorHandler: end?.kind === 'run_finished' ? end.errorHandler : undefined,
            unreadable: run.unreadable,
            waits: await waits.of(user, run),
            only: log,
          });
        }),
      );
      if (log !== undefined && detail.logs.length === 0) throw new Problem('not_found', 'Log entry not found.');
      return new JsonText(await jsonInPieces(detail));
    },
  });
  addRoute(app, {
    method: 'POST',
    path: '/api/v1/executions/:execution_id/cancel/',
    operationId: 'cancelExecution',
    summary: 'Cancels an execution',
    tag,
    access: 'editor',
    success: { status: 200, schema: execution },
    errors: [409],
    load: (caller, { execution_id: id = '' }) => executions.findToSteer(caller.user, id),
    handle: async ({ loaded }) => presentExecution(await executions.cancel(loaded)),
  });
  addRoute(app, {
    method: 'POST',
    path: '/api/v1/executions/:execution_id/resume/',
    operationId: 'resumeExecution',
    summary: 'Answers a step that waits for a person',
    tag,
    access: 'editor',
    body: resumeRequest,
    examples: [{ node_id: 'ask', confirmed: true, response: 'Go ahead.' }],
    success: { status: 200, schema: execution },
    errors: [409],
    load: (caller, { execution_id: id = '' }) => executions.findToSteer(caller.user, id),
    handle: async ({ caller, loaded, body }) => {
      const { node_id: nodeId, confirmed, response = '', frame = null } = body;
      return presentExecution(await waits.decide(caller.user, loaded, { nodeId, confirmed, response, frame }));
    },
  });
  addStart(app, { executions, loadRunnable });
}

/** What a request asks to record, or to answer. */
function recordingIn({ record = false, cassette = null }: z.output<typeof executeRequest>): AskedRecording | null {
  if (cassette === null) return record ? { kind: 'record' } : null;
  if (record) {
    const msg = "Give either 'record' or 'cassette': recorded answers are not recorded again.";
    throw new Problem('invalid', [{ type: 'value_error', loc: ['body', 'record'], msg }]);
  }
  return typeof cassette === 'string' ? cassette : { kind: 'given', exchanges: exchangesIn(cassette) };
}

function addStart(app: FastifyInstance, { executions, loadRunnable }: Omit<ExecutionRoutes, 'waits'>): void {
  addRoute(app, {
    method: 'POST',
    path: '/api/v1/workflows/:slug/execute/',
    operationId: 'executeWorkflow',
    summary: 'Starts a workflow manually',
    tag,
    access: 'editor',
    body: executeRequest.optional(),
    headers: idempotencyKeyHeader,
    examples: [{ payload: { name: 'world' }, wait: true }],
    success: { status: 200, schema: executeAnswer },
    errors: [409],
    load: (caller, { slug = '' }) => loadRunnable(caller, slug),
    handle: async ({ caller, loaded, body, request, reply }) => {
      const { payload, text = '', version = null, wait = false } = body ?? {};
      const { trigger_node_id: triggerNodeId = null, to_node: toNodeId = null } = body ?? {};
      const idempotency = idempotencyOf(request.headers, body);
      const recording = recordingIn(body ?? {});
      const userId = caller.user.id;
      const asked = { userId, payload, text, triggerNodeId, version, toNodeId, recording, wait, idempotency };
      const { id, status, isReplayed, outcome } = await executions.start(loaded, asked);
      if (isReplayed) markReplayed(reply);
      const ended = outcome && { final_output: outcome.output, error_message: outcome.errorMessage };
      return { execution_id: id, status, ...ended };
    },
  });
}
