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
  /** The owner of a workflow, and whether others may edit it; null if there is no owner any more. */
  readonly ownerOf: (workflowId: number) => Promise<{ readonly user: User; readonly hasEditors: boolean } | null>;
  readonly passes: Passes;
  readonly server: () => FastifyInstance;
}

/** Characters of an answer: a model reads at most a fraction of them. */
const maxAnswer = 1_048_576;

const editable =
  'Others may edit this workflow, and would get the rights of its owner by this tool. Put the tool into a workflow ' +
  'that only its owner may edit, and call that one by a workflow_tool.';

/** Requests take the same way as those of others: the same checks, and the same rights as the owner's. */
export function createOwnApi({ ownerOf, passes, server }: OwnApiPorts): CallOwnApi {
  return async ({ id }, { method, path, query = {}, body, idempotencyKey }) => {
    const owner = await ownerOf(id);
    if (owner === null) throw new StepError('platform', 'The workflow of this run no longer has an owner.');
    // An editor who writes the config of a tool would otherwise reach all that belongs to the owner.
    if (owner.hasEditors) throw new StepError('platform', editable);
    const pass = passes.issue(owner.user);
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
