import type { AddressInfo } from 'node:net';
import type { ApiKey, KeyScope, User } from '@millrace/core';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { type App, createApp } from '../../src/app.ts';
import { newApiKey } from '../../src/ground/ids.ts';
import { VirtualTime } from '../../src/ground/virtual-time.ts';
import { storedForm } from '../../src/services/access/api-key.ts';
import { openSqliteStore } from '../../src/store/sql/sqlite.ts';
import { closedOutbound } from '../support/closed-outbound.ts';
import { cheapPasswords } from '../support/passwords.ts';
import { checkResponses } from '../support/response-check.ts';
import { testVault } from '../support/vault.ts';

/** An endpoint of the router. */
export interface Endpoint {
  readonly method: string;
  /** With its parameters: `/api/v1/workflows/:slug/`. */
  readonly path: string;
}

/**
 * The service as `app.ts` wires it, on an in-memory store, in time that the test advances; its runner is not started.
 */
export class WholeApp {
  readonly time = new VirtualTime();
  readonly store = openSqliteStore({ path: ':memory:' });
  readonly vault = testVault(this.store);
  readonly endpoints: Endpoint[] = [];
  readonly #app: App;
  readonly #broken: readonly string[];

  private constructor() {
    const { store, time, vault } = this;
    const { clock, timers } = time;
    const log = pino({ level: 'silent' });
    this.#app = createApp({
      passwords: cheapPasswords(),
      host: '127.0.0.1',
      log,
      store,
      vault,
      clock,
      timers,
      random: () => 0,
      outbound: closedOutbound,
    });
    this.#app.server.addHook('onRoute', ({ method, url }) => {
      for (const each of [method].flat()) this.endpoints.push({ method: each, path: url });
    });
    this.#broken = checkResponses(this.#app.server);
  }

  static async start(): Promise<WholeApp> {
    const app = new WholeApp();
    await app.#app.server.ready();
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

  async addKey(user: User, { scope = 'full', expiresAt = null }: KeyOptions = {}): Promise<NewKey> {
    const key = newApiKey();
    const words = { name: 'test', scope, expiresAt, at: this.time.clock.now() };
    return { key, stored: await this.store.keys.insert({ userId: user.id, ...words, ...storedForm(key) }) };
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.#app.close();
    await this.store.close();
    if (this.#broken.length > 0) throw new Error(`responses that violate their schema:\n${this.#broken.join('\n')}`);
  }
}

interface KeyOptions {
  readonly scope?: KeyScope;
  readonly expiresAt?: number | null;
}

/** A key in plain text, and as it is stored. */
export interface NewKey {
  readonly key: string;
  readonly stored: ApiKey;
}
