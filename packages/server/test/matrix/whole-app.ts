import type { AddressInfo } from 'node:net';
import type { ApiKey, KeyScope, User } from '@millrace/core';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { pino } from 'pino';
import { type App, createApp } from '../../src/app.ts';
import { newApiKey } from '../../src/ground/ids.ts';
import { VirtualTime } from '../../src/ground/virtual-time.ts';
import type { RouteAccess } from '../../src/http/plumbing/route-access.ts';
import { storedForm } from '../../src/services/access/api-key.ts';
import { openSqliteStore } from '../../src/store/sql/sqlite.ts';
import { closedOutbound } from '../support/closed-outbound.ts';
import { cheapPasswords } from '../support/passwords.ts';
import { checkResponses } from '../support/response-check.ts';
import { testVault } from '../support/vault.ts';

/** What an endpoint declares: `anyone` needs no key, and `webhook` also accepts the key of a webhook. */
export type Declared = RouteAccess | 'anyone' | 'webhook';

/** An endpoint of the router. */
export interface Endpoint {
  readonly method: string;
  /** With its parameters: `/api/v1/workflows/:slug/`. */
  readonly path: string;
  /** Who may call it, as its route declares; null if it declares nothing. */
  readonly declared: Declared | null;
  /** Examples of its body. */
  readonly examples: readonly unknown[];
}

/**
 * The service as `app.ts` wires it, on an in-memory store, in time that the test advances; its runner is not started.
 */
export class WholeApp {
  readonly time = new VirtualTime();
  readonly store = openSqliteStore({ path: ':memory:' });
  readonly vault = testVault(this.store);
  endpoints: readonly Endpoint[] = [];
  readonly #passwords = cheapPasswords();
  readonly #routes: RouteOptions[] = [];
  readonly #app: App;
  readonly #broken: readonly string[];

  private constructor(setupToken: string | null) {
    const { store, time, vault } = this;
    const { clock, timers } = time;
    const log = pino({ level: 'silent' });
    this.#app = createApp({
      passwords: this.#passwords,
      host: '127.0.0.1',
      log,
      store,
      vault,
      clock,
      timers,
      random: () => 0,
      outbound: closedOutbound,
      setupToken,
    });
    this.#app.server.addHook('onRoute', (route) => {
      this.#routes.push(route);
    });
    this.#broken = checkResponses(this.#app.server);
  }

  static async start({ setupToken = null }: { setupToken?: string | null } = {}): Promise<WholeApp> {
    const app = new WholeApp(setupToken);
    await app.#app.server.ready();
    // Later hooks may have changed the config of a route.
    app.endpoints = app.#routes.flatMap(endpointsOf);
    return app;
  }

  get server(): FastifyInstance {
    return this.#app.server;
  }

  /** Host and port, on loopback. */
  async listen(): Promise<string> {
    await this.server.listen({ host: '127.0.0.1', port: 0 });
    return `127.0.0.1:${(this.server.server.address() as AddressInfo).port}`;
  }

  async addUser(username: string, isAdmin = false): Promise<User> {
    const user = await this.store.users.insert({ username, isAdmin, at: this.time.clock.now() });
    if (user === null) throw new Error(`there is a user ${username}`);
    return user;
  }

  async setPassword(username: string, password: string): Promise<void> {
    const user = await this.store.users.byUsername(username);
    const passwordHash = await this.#passwords.hash(password);
    await this.store.users.update({ id: user?.id ?? 0, changes: { passwordHash }, at: this.time.clock.now() });
  }

  async addKey(user: User, { name = 'test', scope = 'full', expiresAt = null }: KeyOptions = {}): Promise<NewKey> {
    const key = newApiKey();
    const words = { name, scope, expiresAt, at: this.time.clock.now() };
    return { key, stored: await this.store.keys.insert({ userId: user.id, ...words, ...storedForm(key) }) };
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.#app.close();
    await this.store.close();
    if (this.#broken.length > 0) throw new Error(`responses that violate their schema:\n${this.#broken.join('\n')}`);
  }
}

function endpointsOf({ method, url: path, config = {} }: RouteOptions): Endpoint[] {
  const { auth, access = null, examples = [] } = config;
  const byAuth = { none: 'anyone', webhook: 'webhook', key: access } as const;
  const declared = auth === undefined ? null : byAuth[auth];
  return [method].flat().map((each) => ({ method: each, path, declared, examples }));
}

interface KeyOptions {
  readonly name?: string;
  readonly scope?: KeyScope;
  readonly expiresAt?: number | null;
}

/** A key in plain text, and as it is stored. */
export interface NewKey {
  readonly key: string;
  readonly stored: ApiKey;
}
