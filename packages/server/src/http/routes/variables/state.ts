import { newStateValue, stateQuery, stateValue } from '@millrace/contract';
import type { StateKey, Workflow } from '@millrace/core';
import type { FastifyInstance } from 'fastify';
import type { State } from '../../../services/variables/state.ts';
import { textParameter } from '../../openapi/path-parameters.ts';
import { addRoute, type Caller } from '../../plumbing/route.ts';
import type { WorkflowAccess } from '../../plumbing/workflow-access.ts';

interface Found {
  readonly workflow: Workflow;
  readonly key: string;
}

/** The endpoints of persistent values, for the editors of a workflow. */
export function addState(
  app: FastifyInstance,
  { state, access }: { readonly state: State; readonly access: WorkflowAccess },
): void {
  const common = {
    path: '/api/v1/workflows/:slug/state/:key/',
    tag: 'State',
    access: 'editor',
    params: { key: textParameter('The key of the value.') },
    query: stateQuery,
    load: async (caller: Caller, params: Readonly<Record<string, string>>): Promise<Found> => ({
      workflow: await access.forWriting(caller, params),
      key: params.key ?? '',
    }),
  } as const;
  const keyOf = ({ key }: Found, { scope = null }: { scope?: string | null | undefined }): StateKey => ({ key, scope });

  addRoute(app, {
    ...common,
    method: 'GET',
    operationId: 'getState',
    summary: 'Reads a value that persists between runs; null if there is none',
    success: { status: 200, schema: stateValue },
    handle: async ({ loaded, query }) => ({ value: await state.read(loaded.workflow, keyOf(loaded, query)) }),
  });
  addRoute(app, {
    ...common,
    method: 'PUT',
    operationId: 'putState',
    summary: 'Stores a value that persists between runs',
    body: newStateValue,
    examples: [{ value: { cursor: 42 } }],
    success: { status: 200, schema: stateValue },
    async handle({ loaded, query, body: { value } }) {
      await state.write(loaded.workflow, keyOf(loaded, query), value);
      return { value };
    },
  });
  addRoute(app, {
    ...common,
    method: 'DELETE',
    operationId: 'deleteState',
    summary: 'Deletes a value that persists between runs',
    success: { status: 204, schema: null },
    handle: ({ loaded, query }) => state.remove(loaded.workflow, keyOf(loaded, query)),
  });
}
