import {
  type GitHost,
  gitEventHeaders,
  gitEventName,
  isObject,
  type Json,
  type JsonObject,
  Problem,
} from '@millrace/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GitTarget, GitWebhooks } from '../../services/triggers/git-webhooks.ts';
import type { Webhooks } from '../../services/triggers/webhooks.ts';
import { readJson } from '../bodies/json-or-form.ts';
import type { FailedAuths } from '../plumbing/failed-auth.ts';
import { markReplayed } from '../plumbing/idempotency-key.ts';
import { publicHeaders, publicQuery } from './webhook-headers.ts';
import { proofIn } from './webhook-proof.ts';
import { countedFailure, idempotencyOf, json, payloadOf, sendAccepted, slugOf } from './webhook-request.ts';

interface GitRoutes {
  readonly webhooks: Webhooks;
  readonly gitWebhooks: GitWebhooks;
  readonly failedAuths: Pick<FailedAuths, 'webhooks'>;
}

/** Answers a delivery of a git host to a workflow with git triggers. False for every other request. */
export async function receiveGitEvent(
  routes: GitRoutes,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  const named = eventIn(request);
  if (named === null) return false;
  const slug = slugOf(request);
  const shown = { host: named.host, proof: proofIn(request) };
  const target = await routes.gitWebhooks.find(request.caller?.user ?? null, slug, shown);
  if (target === null) return false;
  if (target === 'unsigned') throw countedFailure(routes.failedAuths, request);
  const [first] = target.triggers;
  await routes.webhooks.deliver({ ...target, trigger: first }, () =>
    startFromEvent(routes, request, reply, { target, event: named.event }),
  );
  return true;
}

function eventIn({ method, headers }: FastifyRequest): { readonly host: GitHost; readonly event: string } | null {
  if (method !== 'POST') return null;
  for (const host of ['git_host_a', 'git_host_b'] as const) {
    const name = headers[gitEventHeaders[host]];
    if (typeof name === 'string' && name !== '') return { host, event: gitEventName(name) };
  }
  return null;
}

async function startFromEvent(
  { gitWebhooks }: GitRoutes,
  request: FastifyRequest,
  reply: FastifyReply,
  { target, event }: { readonly target: GitTarget; readonly event: string },
): Promise<FastifyReply> {
  const [trigger] = target.triggers;
  const run = await gitWebhooks.start(target, event, {
    payload: eventOf(await payloadOf(request, trigger)),
    headers: publicHeaders(request.headers),
    query: publicQuery(request.query as Record<string, unknown>),
    idempotency: idempotencyOf(request, { trigger }),
  });
  if (run === null) return sendIgnored(reply, event);
  if (run.isReplayed) markReplayed(reply);
  return sendAccepted(reply, run.executionId);
}

/** The event; some hosts send it as the field `payload` of a form. @throws Problem `malformed` */
function eventOf(body: Json): JsonObject {
  const { payload } = isObject(body) ? body : {};
  const isForm = isObject(body) && typeof payload === 'string' && Object.keys(body).length === 1;
  const event = isForm ? readJson(Buffer.from(payload), undefined) : body;
  if (isObject(event)) return event;
  throw new Problem('malformed', 'The body of a git event must be a JSON object.');
}

/** With 200, because the host would repeat the delivery or switch the webhook off. */
function sendIgnored(reply: FastifyReply, event: string): FastifyReply {
  const message = `No git trigger of the workflow starts for this '${event.slice(0, shownEventLength)}' event`;
  return reply.code(200).header('content-type', json).send({ status: 'ignored', message });
}

/** Longer than the names of events. */
const shownEventLength = 100;
