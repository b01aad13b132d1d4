import { json as anyJson, errorBody, invalidBody, webhookAnswer, webhookFailed } from '@millrace/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { RunResult } from '../../services/acceptance/result-waiters.ts';
import type { WebhookRun, Webhooks, WebhookTarget } from '../../services/triggers/webhooks.ts';
import { idempotencyKeyHeader, signatureHeaders } from '../openapi/headers.ts';
import { webhookUnauthenticated } from '../plumbing/authentication.ts';
import { type FailedAuth, tooManyFailures } from '../plumbing/failed-auth.ts';
import { checkedIdempotencyKey, idempotencyKeyIn } from '../plumbing/idempotency-key.ts';
import { answerWhileOpen } from '../plumbing/waiting-request.ts';
import { signatureOf } from '../plumbing/webhook-signature.ts';
import { safeAnswer } from './respond-answer.ts';
import { publicHeaders, publicQuery } from './webhook-headers.ts';
import { readPayload } from './webhook-payload.ts';

interface WebhookRoutes {
  readonly webhooks: Webhooks;
  readonly failedAuth: FailedAuth;
  /** In bytes. */
  readonly maxBody: number;
}

const json = 'application/json; charset=utf-8';

const documentation = {
  operationId: 'startByWebhook',
  summary: 'Starts a workflow with the request body as its input',
  description:
    'Senders that cannot set headers give the API key as `?api_key=`. A form is taken as an object. Where the trigger ' +
    'names a `signature`, a request that is signed with the secret of its credential needs no key.',
  tags: ['Webhook'],
  security: [{ apiKey: [] }, { apiKeyInQuery: [] }],
  headers: z.object({ ...idempotencyKeyHeader, ...signatureHeaders }),
  body: anyJson.optional().describe('Nothing is the same as an empty object.'),
  response: {
    // A workflow may choose its own status and body, so no single status of these has a schema.
    '2xx': webhookAnswer.describe(
      '200: accepted and stored, or what the workflow answers; 202: the execution goes on.',
    ),
    '5xx': webhookFailed.describe('In the synchronous modes: the execution failed or was cancelled.'),
    400: errorBody.describe('The body is not JSON.'),
    401: errorBody.describe('No API key and no signature was sent, or it is not valid.'),
    404: errorBody.describe('No active workflow of this name has a webhook that the caller may use.'),
    413: errorBody.describe('The body is too large.'),
    422: invalidBody.describe('The payload breaks the input schema, or the workflow cannot run. Nothing was started.'),
    429: errorBody.describe(
      'The webhook takes no more requests for now; Retry-After says how long. Nothing was started.',
    ),
    503: errorBody.describe('Too many executions are waiting. Nothing was started.'),
  },
};

const noBody = Buffer.alloc(0);

/** The endpoint that starts a workflow by an HTTP request. The hot path: it stays free of schemas and copies. */
export async function addWebhooks(app: FastifyInstance, routes: WebhookRoutes): Promise<void> {
  // In a context of its own: only here is a body of any type taken. It is parsed when the workflow was found.
  await app.register(async (own) => {
    own.removeAllContentTypeParsers();
    own.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: routes.maxBody }, (_request, body, done) =>
      done(null, body),
    );
    own.route({
      method: 'POST',
      url: '/api/v1/webhooks/:workflow_slug',
      config: { auth: 'webhook', examples: [{ name: 'world' }] },
      schema: documentation,
      handler: (request, reply) => receive(routes, request, reply),
    });
  });
}

async function receive(routes: WebhookRoutes, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { webhooks } = routes;
  const { workflow_slug: slug = '' } = request.params as Record<string, string>;
  const user = request.caller?.user ?? null;
  const target = user === null ? await findSigned(routes, request, slug) : await webhooks.find(user, slug);
  const run = await webhooks.start(user, target, {
    payload: readPayload(request.body as Buffer | undefined, request.headers['content-type']),
    headers: publicHeaders(request.headers),
    query: publicQuery(request.query as Record<string, unknown>),
    idempotencyKey: idempotencyKey(request, target),
  });
  if (run.answer === null) return sendAccepted(reply, run.executionId);
  return sendAnswer(reply, run, {
    answer: await answerWhileOpen(request, { answer: run.answer, abandon: run.abandon }),
    isOwner: isOwner(request, target),
  });
}

/** What a signature leads to. Wrong ones count as wrong keys do, whether or not there is such a workflow. */
async function findSigned(
  { webhooks, failedAuth }: WebhookRoutes,
  request: FastifyRequest,
  slug: string,
): Promise<WebhookTarget> {
  const signed = signatureOf(request.headers);
  const target =
    signed &&
    (await webhooks.findSigned(slug, {
      ...signed,
      body: (request.body as Buffer | undefined) ?? noBody,
      idempotencyKey: (trigger) => idempotencyKeyIn(request.headers, trigger?.dedupeHeader),
    }));
  if (target !== null) return target;
  const wait = failedAuth.count(request.ip);
  throw wait === null ? webhookUnauthenticated() : tooManyFailures(wait);
}

function idempotencyKey(request: FastifyRequest, { trigger }: WebhookTarget): string | null {
  return checkedIdempotencyKey(idempotencyKeyIn(request.headers, trigger.dedupeHeader) ?? ownKeyOfSignature(request));
}

/** A request that is sent again by who overheard it has the same signature, which holds its time. */
function ownKeyOfSignature({ caller, headers }: FastifyRequest): string | null {
  const signed = caller === null ? signatureOf(headers) : null;
  return signed?.scheme === 'hmac_sha256' ? signed.signature : null;
}

function isOwner({ caller }: FastifyRequest, { workflow }: WebhookTarget): boolean {
  return caller?.user.id === workflow.ownerId;
}

function sendAccepted(reply: FastifyReply, executionId: string): FastifyReply {
  // Written by hand: the one part that varies is a UUID.
  const body = `{"status":"accepted","execution_id":"${executionId}","message":"Workflow execution started"}`;
  return reply.code(200).header('content-type', json).send(body);
}

interface Outcome {
  readonly answer: RunResult;
  readonly isOwner: boolean;
}

function sendAnswer(reply: FastifyReply, { executionId }: WebhookRun, { answer, isOwner }: Outcome): FastifyReply {
  switch (answer.kind) {
    case 'responded': {
      const { status, headers, body } = safeAnswer(answer.answer);
      return reply.code(status).headers(headers).send(body);
    }
    case 'completed':
      return reply.code(200).header('content-type', json).send(JSON.stringify(answer.output));
    case 'late': {
      const message = 'Workflow execution is still running';
      return reply
        .code(202)
        .header('content-type', json)
        .send({ status: 'accepted', execution_id: executionId, message });
    }
    case 'failed':
      // An error text may quote what the workflow handles: that is its owner's to see.
      return sendFailure(reply, executionId, isOwner ? answer.failure.message : 'The workflow execution failed.');
    case 'cancelled':
      return sendFailure(reply, executionId, 'The workflow execution was cancelled.');
  }
}

function sendFailure(reply: FastifyReply, executionId: string, detail: string): FastifyReply {
  return reply.code(500).header('content-type', json).send({ detail, execution_id: executionId });
}
