import { json as anyJson, errorBody, invalidBody, webhookAnswer, webhookFailed } from '@millrace/contract';
import { isObject, type Json, Problem, type User, type WebhookMethod, webhookMethods } from '@millrace/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { RunResult } from '../../services/acceptance/result-waiters.ts';
import type { GitWebhooks } from '../../services/triggers/git-webhooks.ts';
import type { WebhookRun, Webhooks, WebhookTarget } from '../../services/triggers/webhooks.ts';
import { addRawBodies } from '../bodies/body-parser.ts';
import { idempotencyKeyHeader, signatureHeaders } from '../openapi/headers.ts';
import { webhookUnauthenticated } from '../plumbing/authentication.ts';
import type { FailedAuths } from '../plumbing/failed-auth.ts';
import { markReplayed } from '../plumbing/idempotency-key.ts';
import { jsonInPieces } from '../plumbing/json-in-pieces.ts';
import { answerWhileOpen } from '../plumbing/waiting-request.ts';
import { receiveGitEvent } from './git-events.ts';
import { safeAnswer } from './respond-answer.ts';
import { publicHeaders, publicQuery } from './webhook-headers.ts';
import { handshakeOf, hasNoProof, proofIn } from './webhook-proof.ts';
import { countedFailure, idempotencyOf, json, payloadOf, sendAccepted, slugOf } from './webhook-request.ts';

interface WebhookRoutes {
  readonly webhooks: Webhooks;
  readonly gitWebhooks: GitWebhooks;
  readonly failedAuths: Pick<FailedAuths, 'webhooks'>;
  /** Maximum bytes of a body. */
  readonly maxBody: number;
}

const documentation = {
  operationId: 'startByWebhook',
  summary: 'Starts a workflow with the request body as its input',
  description:
    'Senders that cannot set headers can send the API key as `?api_key=`. The config of the trigger defines the accepted ' +
    'methods (POST, GET, PUT, PATCH, DELETE), authentication (a key, a signature, a user name and password, or none) and ' +
    'content types. Forms and multipart bodies become an object, text and XML become text, and any other body becomes a file. ' +
    'HEAD checks the URL and the authentication of a trigger that accepts GET or POST, and starts nothing. A signed event ' +
    'of a git host starts the `trigger_git` that names it; without one, the response has the status `ignored`.',
  tags: ['Webhook'],
  security: [{ apiKey: [] }, { apiKeyInQuery: [] }],
  headers: z.object({ ...idempotencyKeyHeader, ...signatureHeaders }),
  body: anyJson.optional().describe('No body is the same as an empty object.'),
  response: {
    // A workflow may choose its own status and body, so these statuses have no schema of their own.
    '2xx': webhookAnswer.describe(
      '200: accepted and stored, or the answer of the workflow; 202: the execution continues.',
    ),
    '5xx': webhookFailed.describe(
      'With `response_mode` `last_node` or `respond_node`: the execution failed or was cancelled.',
    ),
    400: errorBody.describe('The body does not match its content type, e.g. it is not JSON.'),
    401: errorBody.describe('No API key, signature or password was sent, or it is not valid.'),
    404: errorBody.describe('No active workflow of this name has a webhook that the caller may use.'),
    405: errorBody.describe('The trigger does not accept this method; `Allow` lists those that it accepts.'),
    409: errorBody.describe('The Idempotency-Key was used with another body. Nothing was started.'),
    413: errorBody.describe('The body is too large.'),
    415: errorBody.describe('The trigger does not accept this content type; the detail lists those that it accepts.'),
    422: invalidBody.describe(
      'The payload does not match the input schema, or gives no valid concurrency key. Nothing was started.',
    ),
    429: errorBody.describe(
      'The webhook received too many requests; Retry-After contains the time to wait. Nothing was started.',
    ),
    503: errorBody.describe('Too many executions are pending or running. Nothing was started.'),
  },
};

/** The documentation of a method that a trigger accepts only if its `methods` name it. */
function furtherMethod(method: Exclude<WebhookMethod, 'POST'>) {
  const { body, ...rest } = documentation;
  const takesBody = method === 'PUT' || method === 'PATCH';
  const schema = {
    ...rest,
    ...(takesBody && { body }),
    operationId: `startByWebhookWith${method[0]}${method.slice(1).toLowerCase()}`,
    summary: `Starts a workflow by ${method}, if the \`methods\` of its trigger contain it`,
  };
  return { schema, examples: takesBody ? [{ name: 'world' }] : [] };
}

/**
 * The endpoint that starts a workflow with an HTTP request. It is the hot path, so its schemas are documentation only:
 * the handler checks the request itself.
 */
export async function addWebhooks(app: FastifyInstance, routes: WebhookRoutes): Promise<void> {
  // A separate Fastify context, because only webhooks accept bodies of any type. The body is parsed after the workflow
  // is found.
  await app.register(async (own) => {
    addRawBodies(own);
    own.addHook('onRequest', (request) => rejectUnauthenticated(routes, request));
    const config = { auth: 'webhook' } as const;
    const url = '/api/v1/webhooks/:workflow_slug';
    const bodyLimit = routes.maxBody;
    const handler = (request: FastifyRequest, reply: FastifyReply) => receive(routes, request, reply);
    own.route({
      method: 'POST',
      url,
      config: { ...config, examples: [{ name: 'world' }] },
      schema: documentation,
      bodyLimit,
      handler,
    });
    for (const method of webhookMethods.filter((name) => name !== 'POST')) {
      const { schema, examples } = furtherMethod(method);
      own.route({ method, url, config: { ...config, examples }, exposeHeadRoute: false, schema, bodyLimit, handler });
    }
    const answerCheck = (request: FastifyRequest, reply: FastifyReply) => check(routes, request, reply);
    own.route({ method: 'HEAD', url, config, schema: { hide: true }, handler: answerCheck });
  });
}

/** Rejects an unauthenticated request before its body is read, if the trigger requires authentication. */
async function rejectUnauthenticated({ webhooks }: WebhookRoutes, request: FastifyRequest): Promise<void> {
  if (request.caller !== null || !hasNoProof(request) || (await webhooks.isOpen(slugOf(request)))) return;
  throw webhookUnauthenticated();
}

async function receive(routes: WebhookRoutes, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const user = request.caller?.user ?? null;
  if (await receiveGitEvent(routes, request, reply)) return reply;
  const target = await targetOf(routes, request);
  return routes.webhooks.deliver(target, () => startFromRequest(routes, request, reply, { user, target }));
}

/** Answers a sender that only checks the URL: nothing is started. */
async function check(routes: WebhookRoutes, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { trigger } = await targetOf(routes, request);
  if (!trigger.methods.includes('GET') && !trigger.methods.includes('POST')) throw wrongMethod('HEAD', trigger);
  return reply.code(200).send();
}

/** The target that the sender may start. */
function targetOf(routes: WebhookRoutes, request: FastifyRequest): Promise<WebhookTarget> {
  const { caller } = request;
  const slug = slugOf(request);
  return caller === null ? findKeyless(routes, request, slug) : routes.webhooks.find(caller.user, slug);
}

interface Delivery {
  /** Null for a sender without a key. */
  readonly user: User | null;
  readonly target: WebhookTarget;
}

async function startFromRequest(
  routes: WebhookRoutes,
  request: FastifyRequest,
  reply: FastifyReply,
  delivery: Delivery,
): Promise<FastifyReply> {
  const { trigger } = delivery.target;
  const handshake = trigger.challenge === 'meta' ? handshakeOf(request) : null;
  if (handshake !== null) return sendChallenge(reply, handshake.challenge);
  checkMethod(request, trigger);
  const run = await beginRun(routes, request, delivery);
  // The request may wait minutes for its answer; neither the body nor the payload stays in memory for it.
  request.body = undefined;
  request.releaseBody();
  if ('challenge' in run) return sendChallenge(reply, run.challenge);
  if (run.isReplayed) markReplayed(reply);
  if (run.answer === null) return sendAccepted(reply, run.executionId);
  return sendAnswer(reply, run, await answerWhileOpen(request, { answer: run.answer, abandon: run.abandon }));
}

/** Reads the payload and starts the run, or returns the challenge that the payload contains. */
async function beginRun(
  { webhooks }: WebhookRoutes,
  request: FastifyRequest,
  { user, target }: Delivery,
): Promise<WebhookRun | { readonly challenge: string }> {
  const { trigger } = target;
  const read = payloadOf(request, trigger);
  const payload = read instanceof Promise ? await read : read;
  const challenge = trigger.challenge === 'slack' ? slackChallenge(payload) : null;
  if (challenge !== null) return { challenge };
  return webhooks.start(user, target, {
    payload,
    headers: publicHeaders(request.headers),
    query: publicQuery(request.query as Record<string, unknown>),
    idempotency: idempotencyOf(request, target),
  });
}

/** The workflow that a sender without a key may start. Failures are counted even if the workflow does not exist. */
async function findKeyless(
  { webhooks, failedAuths }: WebhookRoutes,
  request: FastifyRequest,
  slug: string,
): Promise<WebhookTarget> {
  const target = await webhooks.findKeyless(slug, proofIn(request));
  if (target !== null) return target;
  throw countedFailure(failedAuths, request);
}

function checkMethod({ method }: FastifyRequest, trigger: WebhookTarget['trigger']): void {
  if (!trigger.methods.some((allowed) => allowed === method)) throw wrongMethod(method, trigger);
}

function wrongMethod(method: string, { methods }: WebhookTarget['trigger']): Problem {
  const detail = `This webhook does not accept ${method}: it accepts ${methods.join(', ')}.`;
  return new Problem('method_not_allowed', detail, { allow: methods });
}

/** The text with which Slack verifies a URL; null for its other messages. */
function slackChallenge(payload: Json): string | null {
  if (!isObject(payload) || payload.type !== 'url_verification') return null;
  return typeof payload.challenge === 'string' ? payload.challenge : null;
}

/** As plain text, so that a browser does not interpret it. */
function sendChallenge(reply: FastifyReply, challenge: string): FastifyReply {
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };
  return reply.code(200).headers(headers).send(challenge);
}

async function sendAnswer(reply: FastifyReply, { executionId }: WebhookRun, answer: RunResult): Promise<FastifyReply> {
  switch (answer.kind) {
    case 'responded': {
      const { status, headers, body } = safeAnswer(answer.answer);
      const isJson = typeof body === 'object' && 'json' in body;
      // Always bytes: Node writes a text together with the headers, all in UTF-8, but before bytes the headers in Latin-1.
      return reply
        .code(status)
        .headers(headers)
        .send(isJson ? body.bytesOf(await jsonInPieces(body.json)) : body);
    }
    case 'completed':
      return reply
        .code(200)
        .header('content-type', json)
        .send(await jsonInPieces(answer.output));
    case 'late': {
      const message = 'Workflow execution is still running';
      return reply
        .code(202)
        .header('content-type', json)
        .send({ status: 'accepted', execution_id: executionId, message });
    }
    case 'failed':
      // The sender is another service, even if it uses the owner's key, and an error message may contain data of the
      // workflow. Members read it in the execution.
      return sendFailure(reply, executionId, 'The workflow execution failed.');
    case 'cancelled':
      return sendFailure(reply, executionId, 'The workflow execution was cancelled.');
  }
}

function sendFailure(reply: FastifyReply, executionId: string, detail: string): FastifyReply {
  return reply.code(500).header('content-type', json).send({ detail, execution_id: executionId });
}
