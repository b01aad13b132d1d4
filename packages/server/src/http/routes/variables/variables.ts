import {
  camelKeys,
  newVariableBody,
  pageQuery,
  presentVariable,
  variable,
  variableChanges,
  variableList,
} from '@millrace/contract';
import type { Variable } from '@millrace/core';
import type { FastifyInstance } from 'fastify';
import { requireAdminOfVariables, type Variables } from '../../../services/variables/variables.ts';
import { textParameter } from '../../openapi/path-parameters.ts';
import { addRoute, type Caller } from '../../plumbing/route.ts';
import type { RouteAccess } from '../../plumbing/route-access.ts';
import type { WorkflowAccess } from '../../plumbing/workflow-access.ts';

type Params = Readonly<Record<string, string>>;

/** The place of variables, and who may manage them. */
interface VariablePlace {
  readonly collection: string;
  readonly whose: string;
  /** The prefix of `Variable` in the names of the operations. */
  readonly prefix: '' | 'Workflow';
  readonly managers: RouteAccess;
  /** The id of the workflow; null for the instance. @throws Problem `not_found`, `read_only`, `admins_only` */
  readonly owner: (caller: Caller, params: Params) => Promise<number | null>;
}

const tag = 'Variables';

/** The endpoints of variables: those of the instance for admins, those of a workflow for its editors. */
export function addVariables(
  app: FastifyInstance,
  { variables, access }: { readonly variables: Variables; readonly access: WorkflowAccess },
): void {
  addVariablesAt(app, variables, {
    collection: '/api/v1/variables/',
    whose: 'of the instance',
    prefix: '',
    managers: 'admin',
    owner: async ({ user }) => {
      requireAdminOfVariables(user);
      return null;
    },
  });
  addVariablesAt(app, variables, {
    collection: '/api/v1/workflows/:slug/variables/',
    whose: 'of a workflow',
    prefix: 'Workflow',
    managers: 'editor',
    owner: async (caller, params) => (await access.forWriting(caller, params)).id,
  });
}

interface Found {
  readonly owner: number | null;
  readonly found: Variable;
}

function addVariablesAt(app: FastifyInstance, variables: Variables, place: VariablePlace): void {
  addCollection(app, variables, place);
  addItem(app, variables, place);
}

function addCollection(
  app: FastifyInstance,
  variables: Variables,
  { collection, whose, prefix, managers, owner }: VariablePlace,
): void {
  addRoute(app, {
    method: 'GET',
    path: collection,
    operationId: `list${prefix}Variables`,
    summary: `Lists the variables ${whose}, newest first`,
    tag,
    access: managers,
    query: pageQuery,
    success: { status: 200, schema: variableList },
    load: owner,
    handle: async ({ loaded, query }) => {
      const { items, total } = await variables.list(loaded, query);
      return { items: items.map(presentVariable), total };
    },
  });
  addRoute(app, {
    method: 'POST',
    path: collection,
    operationId: `create${prefix}Variable`,
    summary: `Creates a variable ${whose}`,
    tag,
    access: managers,
    body: newVariableBody,
    examples: [
      { name: 'region', value: 'eu' },
      { name: 'crm_token', value: 'an-example-token', is_secret: true, allowed_hosts: ['crm.example'] },
    ],
    success: { status: 201, schema: variable },
    errors: [409],
    load: owner,
    handle: async ({ caller, loaded, body }) =>
      presentVariable(await variables.create(actorOf(caller), loaded, camelKeys(body))),
  });
}

function addItem(
  app: FastifyInstance,
  variables: Variables,
  { collection, whose, prefix, managers, owner }: VariablePlace,
): void {
  const item = `${collection}:name/`;
  const params = { name: textParameter('The name of the variable.') };
  async function load(caller: Caller, params: Params): Promise<Found> {
    const id = await owner(caller, params);
    return { owner: id, found: await variables.find(id, params.name ?? '') };
  }

  addRoute(app, {
    method: 'GET',
    path: item,
    params,
    operationId: `get${prefix}Variable`,
    summary: `Reads a variable ${whose}; a secret is masked`,
    tag,
    access: managers,
    success: { status: 200, schema: variable },
    load,
    handle: async ({ loaded }) => presentVariable(loaded.found),
  });
  addRoute(app, {
    method: 'PATCH',
    path: item,
    params,
    operationId: `update${prefix}Variable`,
    summary: `Changes a variable ${whose}; a secret that is sent back masked is not changed`,
    tag,
    access: managers,
    body: variableChanges,
    examples: [{ value: 'us' }],
    success: { status: 200, schema: variable },
    errors: [409],
    load,
    handle: async ({ caller, loaded, body }) => {
      const edit = { name: loaded.found.name, change: camelKeys(body) };
      return presentVariable(await variables.update(actorOf(caller), loaded.owner, edit));
    },
  });
  addRoute(app, {
    method: 'DELETE',
    path: item,
    params,
    operationId: `delete${prefix}Variable`,
    summary: `Deletes a variable ${whose}`,
    tag,
    access: managers,
    success: { status: 204, schema: null },
    load,
    handle: ({ caller, loaded }) => variables.remove(actorOf(caller), loaded.owner, loaded.found.name),
  });
}

function actorOf({ user, key }: Caller) {
  return { userId: user.id, keyId: key?.id ?? null };
}
