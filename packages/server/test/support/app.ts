import { scheduleTimetable } from '@millrace/components';
import type { Catalogue } from '@millrace/core';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { type AppPorts, createApp } from '../../src/app.ts';
import { VirtualTime } from '../../src/ground/virtual-time.ts';
import { createGraphs, type Graphs } from '../../src/services/workflows/graphs.ts';
import { openSqliteStore } from '../../src/store/sql/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { type Api, apiOf } from './api.ts';
import { testCatalogue } from './catalogue.ts';
import { closedOutbound } from './closed-outbound.ts';
import { addKeyedUser, type KeyedUser } from './keyed-user.ts';
import { cheapPasswords } from './passwords.ts';
import { checkResponses } from './response-check.ts';
import { testVault } from './vault.ts';

/** The parts below the endpoints, for preparing and inspecting a test. */
export interface TestParts {
  readonly store: Store;
  readonly graphs: Graphs;
  readonly catalogue: Catalogue;
  readonly time: VirtualTime;
}

export interface TestAppOptions
  extends Pick<AppPorts, 'catalogue' | 'endpoints' | 'maxBody' | 'isReady'>,
    Partial<Pick<AppPorts, 'log'>> {
  /** Additional endpoints. */
  readonly routes?: (app: FastifyInstance) => void;
  /** Called with every endpoint. */
  readonly onRoute?: (route: RouteOptions) => void;
}

/** The whole application on an in-memory store, in virtual time, with one user. Its runner is not started. */
export interface TestApp extends TestParts, Api, KeyedUser {
  readonly app: FastifyInstance;
  /** Another user, with the API as they see it. */
  addUser(username: string): Promise<Api & KeyedUser>;
}

/** Starts it for the current test, which also closes it; fails the test if an answer violates its documented schema. */
export async function startTestApp({
  catalogue = testCatalogue,
  routes,
  onRoute,
  ...ports
}: TestAppOptions = {}): Promise<TestApp> {
  const time = new VirtualTime();
  const { clock, timers } = time;
  const store = openSqliteStore({ path: ':memory:', readTimetable: scheduleTimetable });
  const app = createApp({
    host: 'localhost',
    log: pino({ level: 'silent' }),
    store,
    vault: testVault(store),
    clock,
    timers,
    random: () => 0,
    passwords: cheapPasswords(),
    outbound: closedOutbound,
    catalogue,
    ...ports,
  });
  const { server } = app;
  if (onRoute !== undefined) server.addHook('onRoute', onRoute);
  if (routes !== undefined) server.register(async (api) => routes(api));
  const broken = checkResponses(server);
  await server.ready();
  onTestFinished(async () => {
    app.endWaits();
    await server.close();
    await app.close();
    await store.close();
    if (broken.length > 0) throw new Error(`responses that violate their schema:\n${broken.join('\n')}`);
    if (time.pending > 0) throw new Error(`${time.pending} timers are still pending`);
  });
  const addUser: TestApp['addUser'] = async (username) => {
    const keyed = await addKeyedUser(store, { username, isAdmin: username === 'admin', at: clock.now() });
    return { ...keyed, ...apiOf(server, keyed.key) };
  };
  const parts: TestParts = { store, graphs: createGraphs(store, clock), catalogue, time };
  return { ...parts, app: server, ...(await addUser('admin')), addUser };
}

/** The same with one workflow, `wf`, and the path of its nodes and edges. */
export async function startWorkflow(options: TestAppOptions = {}): Promise<TestApp & { readonly path: string }> {
  const api = await startTestApp(options);
  await api.post('/api/v1/workflows/', { name: 'Test', slug: 'wf' });
  return { ...api, path: '/api/v1/workflows/wf' };
}
