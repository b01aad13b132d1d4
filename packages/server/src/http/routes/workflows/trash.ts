import {
  pageQuery,
  presentTrashed,
  presentWorkflow,
  trashList,
  trashRestoreRequest,
  workflow,
} from '@millrace/contract';
import type { FastifyInstance } from 'fastify';
import type { Trash } from '../../../services/workflows/trash.ts';
import { numberParameter } from '../../openapi/path-parameters.ts';
import { addRoute, type Caller, pathId } from '../../plumbing/route.ts';

const tag = 'Trash';
// Not below the workflows, where a slug could have this name.
const collection = '/api/v1/trash/';
const item = `${collection}:workflow_id/`;
const params = {
  workflow_id: numberParameter('The workflow, by its `id`, because another workflow may use its slug.'),
};

/** The endpoints of deleted workflows. */
export function addTrash(app: FastifyInstance, { trash }: { readonly trash: Trash }): void {
  const load = ({ user }: Caller, { workflow_id: id }: Readonly<Record<string, string>>) =>
    trash.find(user, pathId(id));

  addRoute(app, {
    method: 'GET',
    path: collection,
    operationId: 'listTrash',
    summary: "Lists the caller's deleted workflows, last deleted first",
    tag,
    access: 'user',
    query: pageQuery,
    success: { status: 200, schema: trashList },
    handle: async ({ caller, query }) => {
      const { items, total } = await trash.list(caller.user, query);
      return { items: items.map(presentTrashed), total };
    },
  });
  addRoute(app, {
    method: 'POST',
    path: `${item}restore/`,
    params,
    operationId: 'restoreWorkflow',
    summary: 'Restores a deleted workflow',
    tag,
    access: 'owner',
    body: trashRestoreRequest.optional(),
    examples: [{}],
    success: { status: 200, schema: workflow },
    errors: [409],
    load,
    handle: async ({ loaded, body }) => presentWorkflow(await trash.restore(loaded, body?.slug)),
  });
  addRoute(app, {
    method: 'DELETE',
    path: item,
    params,
    operationId: 'purgeWorkflow',
    summary: 'Deletes a workflow permanently, with its executions and versions',
    tag,
    access: 'owner',
    success: { status: 204, schema: null },
    load,
    handle: ({ loaded }) => trash.purge(loaded),
  });
}
