import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import type { JsonObject, User, Workflow } from '@millrace/core';
import { newExecutionId } from '../../src/ground/ids.ts';
import { blankEdge, blankNode } from '../support/blank-graph.ts';
import { blankWorkflow } from '../support/blank-workflow.ts';
import type { Cast } from './roles.ts';
import type { WholeApp } from './whole-app.ts';

/**
 * The objects for one request, created again for each, because some requests delete them. A path with a parameter that is
 * not here gets its object from the POST of its collection (requests.ts).
 */
export interface Scene {
  readonly slug: string;
  /** An unused name, of the same length as the other names. */
  readonly freshName: string;
  /** Values for the parameters of paths. */
  readonly present: Params;
  /** The same for objects that do not exist. */
  readonly missing: Params;
}

type Params = Readonly<Record<string, string>>;

/** Options of a scene. */
interface SceneOptions {
  readonly isPublic?: boolean;
  readonly payload?: JsonObject;
}

/** A key of a scene. Those of earlier scenes are revoked, because a user has at most 100. */
async function addSceneKey(app: WholeApp, owner: User): Promise<number> {
  const at = app.time.clock.now();
  for (const { id, name } of await app.store.keys.listOf(owner.id)) {
    if (name === sceneKey) await app.store.keys.revoke({ userId: owner.id, id, at });
  }
  return (await app.addKey(owner, { name: sceneKey })).stored.id;
}

const sceneKey = 'scene';

/** A workflow of the owner with nodes, an edge, an execution with this payload, collaborators, and a key of the owner. */
export async function newScene(app: WholeApp, cast: Cast, options: SceneOptions = {}): Promise<Scene> {
  const { isPublic = false, payload = {} } = options;
  const workflow = await newWorkflow(app, cast, isPublic);
  const edgeId = await addGraph(app, workflow);
  const visitor = await app.addUser(newName());
  const at = app.time.clock.now();
  const { owner, editor, viewer } = cast.users;
  for (const { id: userId } of [viewer, visitor]) {
    await app.store.collaborators.insert({ workflowId: workflow.id, userId, role: 'viewer', at });
  }
  await app.store.collaborators.insert({ workflowId: workflow.id, userId: editor.id, role: 'editor', at });
  const keyId = await addSceneKey(app, owner);
  const { slug } = workflow;
  const nodeId = 'say';
  const present = {
    slug,
    workflow_slug: slug,
    node_id: nodeId,
    edge_id: String(edgeId),
    version: '1',
    execution_id: await addExecution(app, workflow, payload),
    key_id: String(keyId),
    workflow_id: String(await addTrashed(app, cast)),
    username: visitor.username,
    name: await addVariables(app, workflow),
    key: 'counter',
    type: 'switch',
    token: 'none-of-ours',
    bot_id: '1234',
    '*': 'swagger-ui.css',
    file: firstAsset(),
  };
  const nowhere = newName();
  const missing = {
    ...present,
    slug: nowhere,
    workflow_slug: nowhere,
    execution_id: newExecutionId(at),
    key_id: '999999999',
    workflow_id: '999999999',
    username: nowhere,
    name: nowhere,
  };
  return { slug, freshName: newName(), present, missing };
}

/** A slug or user name. All have the same length, so that responses that contain them do, too. */
function newName(): string {
  return `n${randomUUID().slice(0, 8)}`;
}

async function newWorkflow(app: WholeApp, { users }: Cast, isPublic = false): Promise<Workflow> {
  const slug = newName();
  const at = app.time.clock.now();
  const fields = { ...blankWorkflow, name: 'Test', slug, ownerId: users.owner.id, isPublic, at };
  const workflow = await app.store.workflows.insert(fields);
  if (workflow === 'slug_taken') throw new Error(`there is a workflow ${slug}`);
  return workflow;
}

/** A workflow of the owner in the trash; returns its id. */
/** A file of the built web app; without one, its route does not exist. */
function firstAsset(): string {
  const folder = new URL('../../../web/dist/assets/', import.meta.url);
  return existsSync(folder) ? (readdirSync(folder).find((name) => name.endsWith('.js')) ?? '') : '';
}

async function addTrashed(app: WholeApp, cast: Cast): Promise<number> {
  const { id } = await newWorkflow(app, cast);
  await app.store.workflows.remove({ ids: [id], at: app.time.clock.now() });
  return id;
}

/** Two nodes and an edge; returns the id of the edge. */
async function addGraph(app: WholeApp, { id, version }: Workflow): Promise<number> {
  const saved = await app.store.graphs.save({
    workflowId: id,
    baseVersion: version,
    at: app.time.clock.now(),
    changes: [
      { kind: 'create_node', node: blankNode('start', 'trigger_webhook') },
      { kind: 'create_node', node: blankNode('say', 'template', { extra: { template: 'Hello' } }) },
      { kind: 'create_edge', edge: blankEdge('start', 'say') },
    ],
  });
  const edge = saved === 'stale' ? null : saved.saved.at(-1);
  if (edge === null || edge === undefined) throw new Error('the graph was not saved');
  return edge.id;
}

/** A variable of the workflow and one of the instance; returns their common name. */
async function addVariables({ store }: WholeApp, { id }: Workflow): Promise<string> {
  const name = newName();
  for (const workflowId of [id, null]) {
    const variable = { workflowId, name, value: 1, isSecret: false, allowedHosts: [], sealed: null };
    // Every scene of every role adds a variable of the instance, which would exceed the limit of a service.
    await store.variables.insert({ ...variable, most: 1_000_000, mostLength: 100_000_000 });
  }
  return name;
}

async function addExecution(app: WholeApp, { id: workflowId }: Workflow, payload: JsonObject): Promise<string> {
  const at = app.time.clock.now();
  const graph = await app.store.graphs.load(workflowId);
  if (graph === null) throw new Error('the workflow is missing');
  const { id } = await app.store.executions.accept({
    id: newExecutionId(at),
    workflowId,
    graph,
    triggerNodeId: 'start',
    trigger: { payload, text: '' },
    idempotency: null,
    at,
  });
  return id;
}
