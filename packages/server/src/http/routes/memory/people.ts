import { onePersonQuery, personList, personQuery, presentPerson } from '@millrace/contract';
import type { FastifyInstance } from 'fastify';
import type { People } from '../../../services/memory/people.ts';
import { addRoute } from '../../plumbing/route.ts';

/** The endpoints of the people that workflows know. */
export function addPeople(app: FastifyInstance, { people }: { readonly people: People }): void {
  const common = { path: '/api/v1/memory/people/', tag: 'Memory', access: 'user' } as const;

  addRoute(app, {
    ...common,
    method: 'GET',
    operationId: 'listPeople',
    summary: 'Lists the people that the workflows of the caller have identified, newest first',
    query: personQuery,
    success: { status: 200, schema: personList },
    async handle({ caller, query }) {
      const { items, total } = await people.list(caller.user, query);
      return { items: items.map(presentPerson), total };
    },
  });
  addRoute(app, {
    ...common,
    method: 'DELETE',
    operationId: 'forgetPerson',
    summary: 'Deletes a person and all facts about them',
    query: onePersonQuery,
    success: { status: 204, schema: null },
    handle: ({ caller, query }) => people.forget(caller.user, query.user_id),
  });
}
