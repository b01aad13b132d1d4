import type { AddressInfo } from 'node:net';
import { scheduleTimetable } from '@millrace/components';
import {
  type Catalogue,
  type Execution,
  type JsonObject,
  type KeyScope,
  nodeConfig,
  type User,
  type Workflow,
} from '@millrace/core';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { createServices, type Services } from '../../src/app-services.ts';
import { capture, matches } from '../../src/ground/regex.ts';
import { VirtualTime } from '../../src/ground/virtual-time.ts';
import { addAuthentication, socketAuthentication } from '../../src/http/plumbing/authentication.ts';
import { FailedAuth } from '../../src/http/plumbing/failed-auth.ts';
import { isOwnPage } from '../../src/http/plumbing/origin.ts';
import { QueryKeys } from '../../src/http/plumbing/query-keys.ts';
import { buildServer } from '../../src/http/plumbing/server.ts';
import { workflowAccess } from '../../src/http/plumbing/workflow-access.ts';
import { addKeys } from '../../src/http/routes/access/keys.ts';
import { addLogins } from '../../src/http/routes/access/logins.ts';
import { addUsers } from '../../src/http/routes/access/users.ts';
import { addCredentials } from '../../src/http/routes/credentials/credentials.ts';
import { addChats } from '../../src/http/routes/executions/chats.ts';
import { addExecutions } from '../../src/http/routes/executions/executions.ts';
import { addReplays } from '../../src/http/routes/executions/replays.ts';
import { addWaitLinks } from '../../src/http/webhooks/wait-links.ts';
import { addWebhooks } from '../../src/http/webhooks/webhooks.ts';
import { Hub } from '../../src/live/hub.ts';
import { tokenSink } from '../../src/live/token-batches.ts';
import { addWebSocket } from '../../src/live/websocket.ts';
import { createAskModel } from '../../src/models/model-calls.ts';
import { createProbes } from '../../src/models/probes.ts';
import type { RunnerPorts } from '../../src/runner/ports.ts';
import { Runner } from '../../src/runner/runner.ts';
import type { LlmEndpoints } from '../../src/secrets/llm-endpoint.ts';
import { loadWritableWorkflow } from '../../src/services/access/access.ts';
import { createSchemaFault } from '../../src/services/validation/schema-errors.ts';
import type { NodeFields } from '../../src/store/graphs.ts';
import { openSqliteStore } from '../../src/store/sql/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { type Api, apiOf } from './api.ts';
import { blankNode, edgesOf } from './blank-graph.ts';
import { blankWorkflow } from './blank-workflow.ts';
import { addKeyedUser, type KeyedUser } from './keyed-user.ts';
import { cheapPasswords } from './passwords.ts';
import { checkResponses } from './response-check.ts';
import { Steps } from './steps.ts';
import { testVault } from './vault.ts';

/** The API as one user sees it. */
export interface Person extends Api, KeyedUser {}

interface Sketch {
  readonly fields?: Partial<Parameters<Store['workflows']['insert']>[0]>;
  /** Node ids with their types, or their types and `extra_config`; the common keys of `config` under `config`. */
  readonly nodes: Readonly<Record<string, string | readonly [type: string, extra: JsonObject, common?: JsonObject]>>;
  /** Lines of `a -> b`, or `a -error-> b`. */
  readonly edges?: string;
}

interface RunningParts {
  readonly maxOpenRuns: number;
  /** Default: the components of `steps`. */
  readonly catalogue?: Catalogue;
  /** Default: there are no LLM credentials. */
  readonly endpoints?: LlmEndpoints;
  /** Default: one that writes nowhere. */
  readonly queryKeys?: QueryKeys;
  /** Default: nothing is sent. */
  readonly http?: RunnerPorts['http'];
}

const log = pino({ level: 'silent' });
const noEndpoints: LlmEndpoints = { open: async () => ({ kind: 'missing' }) };

/** The running half of the API, with a runner, on a real store in memory, in time that the test moves. */
export class Running {
  readonly time = new VirtualTime();
  readonly steps = new Steps();
  readonly store = openSqliteStore({ path: ':memory:', readTimetable: scheduleTimetable });
  readonly app: ReturnType<typeof buildServer>;
  readonly runner: Runner;
  readonly broken: readonly string[];
  readonly #services: Services;

  constructor({
    maxOpenRuns,
    catalogue = this.steps.catalogue,
    endpoints = noEndpoints,
    queryKeys = new QueryKeys(log),
    http = () => Promise.reject(new Error('no step of these tests sends')),
  }: RunningParts) {
    const { store, time } = this;
    const { clock, timers } = time;
    const services = createServices({
      log,
      store,
      vault: testVault(store),
      endpoints,
      probes: createProbes(time),
      clock,
      timers,
      catalogue,
      readTimetable: scheduleTimetable,
      baseUrl: () => 'http://localhost',
      passwords: cheapPasswords(),
      maxOpenRuns,
    });
    const { authentication, credentials, executions, keys, logins, users, webhooks, channels } = services;
    const failedAuth = new FailedAuth(clock);
    this.#services = services;
    const hub = new Hub(clock.now);
    store.subscribe({ published: (events) => hub.publish(events) });
    this.app = buildServer({
      log,
      version: '0.0.0',
      maxBody: 1_048_576,
      site: { hosts: new Set(['localhost', '127.0.0.1']), publicOrigin: null },
      authenticate: (app) => addAuthentication(app, { authentication, failedAuth, queryKeys }),
      routes: async (app) => {
        addUsers(app, { users, failedAuth });
        addLogins(app, { logins, failedAuth });
        addKeys(app, keys);
        addCredentials(app, credentials);
        addExecutions(app, {
          executions,
          waits: services.waits,
          loadRunnable: ({ user }, slug) => loadWritableWorkflow(store, user, slug),
        });
        addReplays(app, services.replays);
        addChats(app, { chats: services.chats, access: workflowAccess(store) });
        await addWaitLinks(app, { waits: services.waits, maxBody: 5_242_880 });
        await addWebhooks(app, { webhooks, failedAuth, maxBody: 5_242_880 });
        await addWebSocket(app, {
          hub,
          clock,
          timers,
          isOwnPage: (request) => isOwnPage({ publicOrigin: null }, request),
          resolveChannel: channels.resolve,
          mayStillRead: channels.mayStillRead,
          onAccessChanged: (callback) => store.subscribe({ accessChanged: callback }),
          ...socketAuthentication({ authentication, failedAuth, queryKeys }),
        });
      },
    });
    this.broken = checkResponses(this.app);
    this.runner = new Runner({
      store,
      catalogue,
      clock,
      timers,
      random: () => 0,
      http,
      toolRequest: () => Promise.reject(new Error('no step of these tests sends with a credential')),
      askModel: createAskModel({ endpoints, clock }),
      tokens: (speaker) => tokenSink(hub, timers, speaker),
      runScript: () => Promise.reject(new Error('no step of these tests runs code')),
      patterns: { matches, capture },
      schemaFault: createSchemaFault(),
      log,
      errorHandler: services.errorHandlers.startFor,
      subworkflow: services.subworkflow,
      conversation: store.chats,
      links: services.waitLinks,
      isAwaited: this.#services.resultWaiters.isAwaited,
      maxSteps: 10_000,
      maxRunSize: 67_108_864,
      owner: 'test',
    });
  }

  async close(): Promise<void> {
    this.steps.letGo();
    this.#services.resultWaiters.close();
    await this.app.close();
    await this.runner.stop(0);
    await this.store.close();
    if (this.broken.length > 0) throw new Error(`answers that break their schema:\n${this.broken.join('\n')}`);
    if (this.time.pending > 0) throw new Error(`${this.time.pending} timers were left`);
  }

  async addPerson(username: string, scope: KeyScope = 'full', isAdmin = false): Promise<Person> {
    const keyed = await addKeyedUser(this.store, { username, scope, isAdmin, at: this.time.clock.now() });
    return { ...keyed, ...apiOf(this.app, keyed.key) };
  }

  /** Stores a workflow as the other half of the API would. */
  async addWorkflow(owner: User, slug: string, { fields = {}, nodes, edges = '' }: Sketch): Promise<Workflow> {
    const at = this.time.clock.now();
    const inserted = await this.store.workflows.insert({
      ...blankWorkflow,
      name: slug,
      slug,
      ownerId: owner.id,
      at,
      ...fields,
    });
    if (inserted === 'slug_taken') throw new Error(`there is a workflow ${slug}`);
    await this.#services.graphs.edit(inserted, () => [
      ...Object.entries(nodes).map(([nodeId, node]) => ({ kind: 'create_node', node: nodeOf(nodeId, node) }) as const),
      ...edgesOf(edges).map((edge) => ({ kind: 'create_edge', edge }) as const),
    ]);
    const stored = await this.store.workflows.byId(inserted.id);
    if (stored === null) throw new Error('the workflow is gone');
    return stored;
  }

  /** Changes common keys of a node's config. */
  async changeNode(slug: string, nodeId: string, common: JsonObject): Promise<void> {
    await this.editNodes(slug, (node) =>
      node.nodeId === nodeId ? { ...node, config: { ...node.config, ...common } } : node,
    );
  }

  /** Makes a version in which the nodes that `edit` changes are what it gives. */
  async editNodes(slug: string, edit: (node: NodeFields) => NodeFields): Promise<void> {
    const workflow = await this.store.workflows.bySlug(slug);
    if (workflow === null) throw new Error(`there is no workflow ${slug}`);
    await this.#services.graphs.edit(workflow, (graph) =>
      graph.nodes.flatMap(({ id, updatedAt: _before, ...node }) => {
        const edited = edit(node);
        return edited === node ? [] : [{ kind: 'update_node', id, node: edited } as const];
      }),
    );
  }

  /** Listens on a port of the system's choice, for what `inject` cannot do. */
  async listen(): Promise<string> {
    await this.app.listen({ host: '127.0.0.1', port: 0 });
    return `127.0.0.1:${(this.app.server.address() as AddressInfo).port}`;
  }

  /** The one execution there is. */
  async onlyRun(): Promise<Execution> {
    const users = ['member', 'guest'].map((name) => this.store.users.byUsername(name));
    const ids = (await Promise.all(users)).flatMap((user) => (user === null ? [] : [user.id]));
    const pages = await Promise.all(
      ids.map((visibleTo) => this.store.executions.list({ visibleTo, limit: 10, offset: 0 })),
    );
    const [only, another] = pages.flatMap(({ items }) => items);
    if (only === undefined || another !== undefined) throw new Error('there is not exactly one execution');
    return only;
  }

  /** Lets the event loop turn until something is so: for what a real socket brings. The test's time-out ends it. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Lets commits and promises happen until nothing more does by itself. */
  async settle(): Promise<void> {
    // A step takes a few turns of the event loop (claim, plan, commit); no test's graph has more than five.
    for (let turn = 0; turn < 40; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Starts it for the running test, which also closes it. */
export async function startRunning({
  maxOpenRuns = 1000,
  withRunner = true,
  ...parts
}: Partial<RunningParts> & { readonly withRunner?: boolean } = {}): Promise<Running> {
  const running = new Running({ maxOpenRuns, ...parts });
  onTestFinished(() => running.close());
  await running.app.ready();
  if (withRunner) running.runner.start();
  return running;
}

function nodeOf(nodeId: string, sketch: Sketch['nodes'][string]): NodeFields {
  const [componentType, extra = {}, common = {}] = typeof sketch === 'string' ? [sketch] : sketch;
  return blankNode(nodeId, componentType, { config: nodeConfig.parse({ ...common, extra_config: extra }) });
}
