import type { Json, Problem } from '@millrace/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WebhookDelivery, WebhookTarget } from '../../services/triggers/webhooks.ts';
import { isLargeBody, turnFor } from '../bodies/body-turns.ts';
import { decodedBody } from '../bodies/content-encoding.ts';
import { webhookUnauthenticated } from '../plumbing/authentication.ts';
import { type FailedAuths, tooManyFailures } from '../plumbing/failed-auth.ts';
import { checkedIdempotencyKey } from '../plumbing/idempotency-key.ts';
import { readPayload } from './webhook-payload.ts';
import { deliveryBody, deliveryKey } from './webhook-proof.ts';

export const json = 'application/json; charset=utf-8';

export function slugOf({ params }: FastifyRequest): string {
  return (params as Record<string, string>).workflow_slug ?? '';
}

/** The payload, without a turn of the event loop for the usual body, which is JSON without an encoding. */
export function payloadOf(request: FastifyRequest, { accepts }: WebhookTarget['trigger']): Json | Promise<Json> {
  const body = request.body as Buffer | undefined;
  const contentType = request.headers['content-type'];
  const bytes = body && decodedBody(request, body, request.routeOptions.bodyLimit);
  if (bytes instanceof Promise || isLargeBody(bytes)) return readLarge(bytes, { contentType, accepts });
  return readPayload({ bytes, contentType }, accepts);
}

async function readLarge(
  body: Buffer | undefined | Promise<Buffer | undefined>,
  { contentType, accepts }: { readonly contentType: string | undefined; readonly accepts: readonly string[] | null },
): Promise<Json> {
  const bytes = await body;
  await turnFor(bytes);
  return readPayload({ bytes, contentType }, accepts);
}

/** The key and the body by which a repeated delivery is known. */
export function idempotencyOf(
  request: FastifyRequest,
  target: Pick<WebhookTarget, 'trigger'>,
): WebhookDelivery['idempotency'] {
  const key = checkedIdempotencyKey(deliveryKey(request, target));
  return key === null ? null : { key, bodyHash: deliveryBody(request, target) };
}

/** The error for a sender without a valid proof, whose failure is counted. */
export function countedFailure(failedAuths: Pick<FailedAuths, 'webhooks'>, { ip }: FastifyRequest): Problem {
  const wait = failedAuths.webhooks.count(ip);
  return wait === null ? webhookUnauthenticated() : tooManyFailures(wait);
}

export function sendAccepted(reply: FastifyReply, executionId: string): FastifyReply {
  // Written by hand for speed: only the UUID varies.
  const body = `{"status":"accepted","execution_id":"${executionId}","message":"Workflow execution started"}`;
  return reply.code(200).header('content-type', json).send(body);
}
