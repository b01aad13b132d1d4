import { scheduleTimetable } from '@millrace/components';
import type { Catalogue } from '@millrace/core';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { VirtualTime } from '../../src/ground/virtual-time.ts';
import { addAuthentication } from '../../src/http/plumbing/authentication.ts';
import { FailedAuth } from '../../src/http/plumbing/failed-auth.ts';
import { QueryKeys } from '../../src/http/plumbing/query-keys.ts';
import { buildServer } from '../../src/http/plumbing/server.ts';
import { createAuthentication } from '../../src/services/access/authentication.ts';
import { createGraphs, type Graphs } from '../../src/services/workflows/graphs.ts';
import { openSqliteStore } from '../../src/store/sql/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { type Api, apiOf } from './api.ts';
import { testCatalogue } from './catalogue.ts';
import { addKeyedUser, type KeyedUser } from './keyed-user.ts';
import { checkResponses } from './response-check.ts';

/** What the endpoints of a test stand on. */
export interface TestParts {
  readonly store: Store;
  readonly graphs: Graphs;
  readonly catalogue: Catalogue;
  readonly time: VirtualTime;
}

interface Options {
  /** Adds the endpoints under test. */
  readonly routes: (app: FastifyInstance, parts: TestParts) => void | Promise<void>;
  readonly catalogue?: Catalogue;
  /** Bytes of an API body. */
  readonly maxBody?: number;
}

/** The service's HTTP side on a real store in memory, with one user. */
export interface TestApp extends TestParts, Api, KeyedUser {
  readonly app: FastifyInstance;
  /** Another user, and the API as they see it. */
  addUser(username: string): Promise<Api & KeyedUser>;
}

/** Starts it for the running test, which also closes it; fails the test when an answer breaks its documented schema. */
export async function startTestApp({
  routes,
  catalogue = testCatalogue,
  maxBody = 1_048_576,
}: Options): Promise<TestApp> {
  const time = new VirtualTime();
  const { clock } = time;
  const store = openSqliteStore({ path: ':memory:', readTimetable: scheduleTimetable });
  const log = pino({ level: 'silent' });
  const parts: TestParts = { store, graphs: createGraphs(store, clock), catalogue, time };
  const authentication = createAuthentication({ store, clock, log });
  const app = buildServer({
    log,
    version: '0.0.0',
    maxBody,
    site: { hosts: new Set(['localhost']), publicOrigin: null },
    authenticate: (server) =>
      addAuthentication(server, { authentication, failedAuth: new FailedAuth(clock), queryKeys: new QueryKeys(log) }),
    routes: (server) => routes(server, parts),
  });
  const broken = checkResponses(app);
  await app.ready();
  onTestFinished(async () => {
    await app.close();
    await store.close();
    if (broken.length > 0) throw new Error(`answers that break their schema:\n${broken.join('\n')}`);
    if (time.pending > 0) throw new Error(`${time.pending} timers were left`);
  });
  const addUser: TestApp['addUser'] = async (username) => {
    const keyed = await addKeyedUser(store, { username, isAdmin: username === 'admin', at: clock.now() });
    return { ...keyed, ...apiOf(app, keyed.key) };
  };
  return { ...parts, app, ...(await addUser('admin')), addUser };
}
