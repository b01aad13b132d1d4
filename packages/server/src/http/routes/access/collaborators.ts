import {
  collaborator,
  collaboratorChanges,
  collaboratorList,
  newCollaborator,
  presentCollaborator,
} from '@millrace/contract';
import type { Collaborator, Workflow } from '@millrace/core';
import type { FastifyInstance } from 'fastify';
import type { Collaborators } from '../../../services/access/collaborators.ts';
import { addRoute, type Caller } from '../../plumbing/route.ts';
import type { WorkflowAccess } from '../../plumbing/workflow-access.ts';

interface CollaboratorRoutes {
  readonly collaborators: Collaborators;
  readonly access: WorkflowAccess;
}

interface Found {
  readonly workflow: Workflow;
  readonly found: Collaborator;
}

const tag = 'Collaborators';
const collection = '/api/v1/workflows/:slug/collaborators/';
const item = `${collection}:username/`;

/** The endpoints of collaborators: all members of a workflow see them, only the owner changes them. */
export function addCollaborators(app: FastifyInstance, { collaborators, access }: CollaboratorRoutes): void {
  async function load(caller: Caller, params: Readonly<Record<string, string>>): Promise<Found> {
    const workflow = await access.forOwning(caller, params);
    return { workflow, found: await collaborators.find(workflow, params.username ?? '') };
  }

  addRoute(app, {
    method: 'GET',
    path: collection,
    operationId: 'listCollaborators',
    summary: 'Lists the users with whom a workflow is shared',
    tag,
    access: 'member',
    success: { status: 200, schema: collaboratorList },
    load: access.forMembers,
    handle: async ({ loaded }) => (await collaborators.list(loaded)).map(presentCollaborator),
  });
  addRoute(app, {
    method: 'POST',
    path: collection,
    operationId: 'addCollaborator',
    summary: 'Shares a workflow with a user',
    tag,
    access: 'owner',
    body: newCollaborator,
    examples: [{ username: 'operator', role: 'editor' }],
    success: { status: 201, schema: collaborator },
    errors: [409],
    load: access.forOwning,
    handle: async ({ loaded, body }) => presentCollaborator(await collaborators.add(loaded, body)),
  });
  addRoute(app, {
    method: 'PATCH',
    path: item,
    operationId: 'updateCollaborator',
    summary: "Changes a collaborator's role",
    tag,
    access: 'owner',
    body: collaboratorChanges,
    examples: [{ role: 'viewer' }],
    success: { status: 200, schema: collaborator },
    load,
    handle: async ({ loaded: { workflow, found }, body }) =>
      presentCollaborator(await collaborators.change(workflow, found, body.role)),
  });
  addRoute(app, {
    method: 'DELETE',
    path: item,
    operationId: 'removeCollaborator',
    summary: 'Stops sharing a workflow with a user',
    tag,
    access: 'owner',
    success: { status: 204, schema: null },
    load,
    handle: ({ loaded: { workflow, found } }) => collaborators.remove(workflow, found),
  });
}
