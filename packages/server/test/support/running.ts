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
import { type Logger, pino } from 'pino';
import { onTestFinished } from 'vitest';
import { type App, createApp } from '../../src/app.ts';
import type { RunCommand } from '../../src/commands/commands.ts';
import { VirtualTime } from '../../src/ground/virtual-time.ts';
import type { McpPrograms } from '../../src/mcp/programs.ts';
import type { OutboundClient } from '../../src/outbound/client.ts';
import type { RunnerPorts } from '../../src/runner/ports.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { LlmEndpoints } from '../../src/secrets/llm-endpoint.ts';
import { createGraphs, type Graphs } from '../../src/services/workflows/graphs.ts';
import type { NodeFields } from '../../src/store/graphs.ts';
import { openSqliteStore } from '../../src/store/sql/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { type Api, apiOf } from './api.ts';
import { blankNode, edgesOf } from './blank-graph.ts';
import { blankWorkflow } from './blank-workflow.ts';
import { closedOutbound } from './closed-outbound.ts';
import { addKeyedUser, type KeyedUser } from './keyed-user.ts';
import { cheapPasswords } from './passwords.ts';
import { checkResponses } from './response-check.ts';
import { Steps } from './steps.ts';
import { testVault } from './vault.ts';

/** The API as one user sees it. */
export interface Person extends Api, KeyedUser {}

interface Sketch {
  readonly fields?: Partial<Parameters<Store['workflows']['insert']>[0]>;
  /** Node ids with their types, or with their types and `extra_config`, and optionally the common keys of `config`. */
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
  /** Default: no output. */
  readonly log?: Logger;
  /** Default: nothing is sent. */
  readonly http?: RunnerPorts['http'];
  readonly mcpPrograms?: McpPrograms;
  /** Default: no command is allowed. */
  readonly runCommand?: RunCommand;
  /** Default: one that sends with `http`, and nothing with a secret. */
  readonly outbound?: OutboundClient;
  /** Default: a real one. */
  readonly sandbox?: Sandbox;
  /** The file of the database. Default: one in memory. */
  readonly path?: string;
}

const silent = pino({ level: 'silent' });
const noEndpoints: LlmEndpoints = { open: async () => ({ kind: 'missing' }) };

/** The part of the API for runs, with a runner, on a real in-memory store, in time that the test advances. */
export class Running {
  readonly time = new VirtualTime();
  readonly steps = new Steps();
  readonly store: Store;
  readonly app: App['server'];
  readonly runner: App['runner'];
  readonly broken: readonly string[];
  readonly #app: App;
  readonly #graphs: Graphs;

  constructor({
    maxOpenRuns,
    catalogue = this.steps.catalogue,
    endpoints = noEndpoints,
    log = silent,
    http = () => Promise.reject(new Error('no step of these tests sends')),
    mcpPrograms = new Map(),
    runCommand,
    outbound,
    sandbox,
    path = ':memory:',
  }: RunningParts) {
    const { time } = this;
    const store = openSqliteStore({ path, readTimetable: scheduleTimetable });
    this.store = store;
    this.#app = createApp({
      host: 'localhost',
      publicUrl: 'http://localhost',
      log,
      store,
      vault: testVault(store),
      clock: time.clock,
      timers: time.timers,
      random: () => 0,
      catalogue,
      endpoints,
      passwords: cheapPasswords(),
      outbound: outbound ?? { ...closedOutbound, send: http },
      mcpPrograms,
      maxOpenRuns,
      ...(runCommand !== undefined && { runCommand }),
      ...(sandbox !== undefined && { sandbox }),
    });
    this.app = this.#app.server;
    this.runner = this.#app.runner;
    this.#graphs = createGraphs(store, time.clock);
    this.broken = checkResponses(this.app);
  }

  async close(): Promise<void> {
    this.steps.letGo();
    this.#app.endWaits();
    await this.app.close();
    await this.runner.stop(0);
    await this.#app.close();
    await this.store.close();
    if (this.broken.length > 0) throw new Error(`responses that violate their schema:\n${this.broken.join('\n')}`);
    if (this.time.pending > 0) throw new Error(`${this.time.pending} timers are still pending`);
  }

  async addPerson(username: string, scope: KeyScope = 'full', isAdmin = false): Promise<Person> {
    const keyed = await addKeyedUser(this.store, { username, scope, isAdmin, at: this.time.clock.now() });
    return { ...keyed, ...apiOf(this.app, keyed.key) };
  }

  /** Stores a workflow as the rest of the API would. */
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
    await this.#graphs.edit(inserted, () => [
      ...Object.entries(nodes).map(([nodeId, node]) => ({ kind: 'create_node', node: nodeOf(nodeId, node) }) as const),
      ...edgesOf(edges).map((edge) => ({ kind: 'create_edge', edge }) as const),
    ]);
    const stored = await this.store.workflows.byId(inserted.id);
    if (stored === null) throw new Error('the workflow is missing');
    return stored;
  }

  /** Changes common keys of a node's config. */
  async changeNode(slug: string, nodeId: string, common: JsonObject): Promise<void> {
    await this.editNodes(slug, (node) =>
      node.nodeId === nodeId ? { ...node, config: { ...node.config, ...common } } : node,
    );
  }

  /** Creates a version in which `edit` replaces the nodes. */
  async editNodes(slug: string, edit: (node: NodeFields) => NodeFields): Promise<void> {
    const workflow = await this.store.workflows.bySlug(slug);
    if (workflow === null) throw new Error(`there is no workflow ${slug}`);
    await this.#graphs.edit(workflow, (graph) =>
      graph.nodes.flatMap(({ id, updatedAt: _before, ...node }) => {
        const edited = edit(node);
        return edited === node ? [] : [{ kind: 'update_node', id, node: edited } as const];
      }),
    );
  }

  /** Listens on a free port, for what `inject` cannot do. */
  async listen(): Promise<string> {
    await this.app.listen({ host: '127.0.0.1', port: 0 });
    return `127.0.0.1:${(this.app.server.address() as AddressInfo).port}`;
  }

  /** The only execution. */
  async onlyRun(): Promise<Execution> {
    const users = ['member', 'visitor'].map((name) => this.store.users.byUsername(name));
    const ids = (await Promise.all(users)).flatMap((user) => (user === null ? [] : [user.id]));
    const pages = await Promise.all(
      ids.map((visibleTo) => this.store.executions.list({ visibleTo, limit: 10, offset: 0 })),
    );
    const [only, another] = pages.flatMap(({ items }) => items);
    if (only === undefined || another !== undefined) throw new Error('there is not exactly one execution');
    return only;
  }

  /** Waits for a condition that depends on a real socket. The timeout of the test ends the wait. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Waits until commits and promises have settled. */
  async settle(): Promise<void> {
    // A step takes a few turns of the event loop (claim, plan, commit); no test's graph has more than five.
    for (let turn = 0; turn < 40; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Starts it for the current test, which also closes it. */
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
