import {
  deletedFactsQuery,
  type FactPlace,
  fact,
  factList,
  factQuery,
  newFactValue,
  oneFactQuery,
  presentFact,
} from '@millrace/contract';
import { Problem } from '@millrace/core';
import type { FastifyInstance } from 'fastify';
import type { AskedSpace, Facts } from '../../../services/memory/facts.ts';
import { addRoute } from '../../plumbing/route.ts';

interface SpaceQuery {
  readonly scope: FactPlace['scope'];
  readonly workflow_slug?: string | undefined;
  readonly user_id?: string | undefined;
}

/** The endpoints of what workflows remember. */
export function addFacts(app: FastifyInstance, { facts }: { readonly facts: Facts }): void {
  const common = { path: '/api/v1/memory/facts/', tag: 'Memory', access: 'user' } as const;

  addRoute(app, {
    ...common,
    method: 'GET',
    operationId: 'listFacts',
    summary: 'Lists or searches what workflows remember. A page with large values may have fewer items than `limit`',
    query: factQuery,
    errors: [404],
    success: { status: 200, schema: factList },
    async handle({ caller, query }) {
      const { items, total } = await facts.list(caller.user, spaceOf(query), query);
      return { items: items.map((item) => presentFact(item, placeOf(query))), total };
    },
  });
  addRoute(app, {
    ...common,
    method: 'PUT',
    operationId: 'putFact',
    summary: 'Stores a fact, or replaces the one with this key',
    query: oneFactQuery,
    body: newFactValue,
    examples: [{ value: 'German' }],
    errors: [404, 409],
    success: { status: 200, schema: fact },
    handle: async ({ caller, query, body: { value } }) =>
      presentFact(await facts.put(caller.user, spaceOf(query), { key: query.key, value }), placeOf(query)),
  });
  addRoute(app, {
    ...common,
    method: 'DELETE',
    operationId: 'deleteFacts',
    summary: 'Deletes a fact, or all facts of a scope',
    query: deletedFactsQuery,
    errors: [404],
    success: { status: 204, schema: null },
    handle({ caller, query: { key, all, ...space } }) {
      if ((key === undefined) !== (all === 'true')) throw keyOrAll();
      return key === undefined
        ? facts.clear(caller.user, spaceOf(space))
        : facts.remove(caller.user, spaceOf(space), key);
    },
  });
}

function spaceOf({ scope, workflow_slug: workflowSlug, user_id: userId }: SpaceQuery): AskedSpace {
  return { scope, workflowSlug, userId };
}

function placeOf({ scope, workflow_slug: slug, user_id: userId }: SpaceQuery): FactPlace {
  return { scope, workflow_slug: slug ?? null, user_id: userId ?? null };
}

function keyOrAll(): Problem {
  const msg = 'is required, or `all=true` to delete all facts of the scope, but not both';
  return new Problem('invalid', [{ type: 'value_error', loc: ['query', 'key'], msg }]);
}
