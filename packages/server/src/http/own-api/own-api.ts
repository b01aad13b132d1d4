import { type Json, type PlatformAnswer, type PlatformRequest, StepError, type User } from '@millrace/core';
import type { FastifyInstance } from 'fastify';
import type { Passes } from './passes.ts';

/** Calls the API of this service for the owner of a workflow. */
export type CallOwnApi = (workflow: { readonly id: number }, request: OwnRequest) => Promise<PlatformAnswer>;

interface OwnRequest extends PlatformRequest {
  /** The same for each attempt of a step. */
  readonly idempotencyKey: string;
}

interface OwnApiPorts {
  /** The owner of a workflow; null if there is none any more. */
  readonly ownerOf: (workflowId: number) => Promise<User | null>;
  readonly passes: Passes;
  readonly server: () => FastifyInstance;
}

/** Characters of an answer: a model reads at most a fraction of them. */
const maxAnswer = 1_048_576;

/** Requests take the same way as those of others: the same checks, and the same rights as the owner's. */
export function createOwnApi({ ownerOf, passes, server }: OwnApiPorts): CallOwnApi {
  return async ({ id }, { method, path, query = {}, body, idempotencyKey }) => {
    const owner = await ownerOf(id);
    if (owner === null) throw new StepError('platform', 'The workflow of this run no longer has an owner.');
    const pass = passes.issue(owner);
    try {
      const response = await server().inject({
        method,
        url: path,
        query: { ...query },
        headers: {
          // Every service answers to this name.
          host: 'localhost',
          authorization: `Bearer ${pass}`,
          'idempotency-key': idempotencyKey,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { payload: JSON.stringify(body) }),
      });
      return { status: response.statusCode, body: bodyOf(response.payload, response.headers['content-type']) };
    } finally {
      passes.take(pass);
    }
  };
}

function bodyOf(text: string, contentType: unknown): Json {
  if (text.length > maxAnswer) {
    const message = `The answer of the service has more than ${maxAnswer} characters: ask for less, for example with 'limit'.`;
    throw new StepError('platform', message);
  }
  if (text === '') return null;
  return String(contentType).startsWith('application/json') ? (JSON.parse(text) as Json) : text;
}
