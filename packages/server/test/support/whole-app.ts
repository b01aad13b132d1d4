import { scheduleTimetable } from '@millrace/components';
import type { KeyScope } from '@millrace/core';
import { pino } from 'pino';
import { type App, type AppPorts, createApp } from '../../src/app.ts';
import { systemClock, systemTimers, type Timers } from '../../src/ground/clock.ts';
import { openSqliteStore } from '../../src/store/sql/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { type Api, apiOf } from './api.ts';
import { closedOutbound } from './closed-outbound.ts';
import { addKeyedUser, type KeyedUser } from './keyed-user.ts';
import type { OpenapiDocument } from './openapi.ts';
import { cheapPasswords } from './passwords.ts';
import { testVault } from './vault.ts';

/** The API as one user of the whole service sees it. */
export interface Member extends Api, KeyedUser {}

/** Shorter delays than this, such as pauses between attempts, are cut; the longer ones are time limits. In milliseconds. */
const shortestLimitMs = 10_000;
/** What such a delay is cut to, in milliseconds. */
const longestDelayMs = 50;

export const hurried: Timers = {
  ...systemTimers,
  after: (ms, fn) => systemTimers.after(ms < shortestLimitMs ? Math.min(ms, longestDelayMs) : ms, fn),
};

/** The listening host, the addresses that the service knows, and optionally what it reaches and runs, and its log. */
type Reach = Pick<
  AppPorts,
  'host' | 'publicUrl' | 'trustProxy' | 'outbound' | 'egressAllow' | 'botApi' | 'sshKnownHosts' | 'code' | 'runCommand'
>;

/** Not a loopback name, so that the outbound policy allows no step of a test to reach this machine. */
const anywhere: Reach = { host: '0.0.0.0' };

/** The service with all its parts, as `npm start` wires it, by default on an in-memory store; its error log is recorded. */
export class WholeApp {
  readonly store: Store;
  readonly errors: string[] = [];
  readonly #app: App;

  private constructor(timers: Timers, reach: Reach, path: string) {
    this.store = openSqliteStore({ path, readTimetable: scheduleTimetable });
    const log = pino({ level: 'error' }, { write: (line: string) => void this.errors.push(line) });
    this.#app = createApp({
      passwords: cheapPasswords(),
      outbound: closedOutbound,
      ...reach,
      log,
      store: this.store,
      vault: testVault(this.store),
      clock: systemClock,
      timers,
      random: () => 0.5,
    });
  }

  /** With shortened delays, unless a test needs the real ones, for example for a process. */
  static async start(timers: Timers = hurried, reach: Reach = anywhere, path = ':memory:'): Promise<WholeApp> {
    const whole = new WholeApp(timers, reach, path);
    await whole.#app.server.ready();
    whole.#app.runner.start();
    whole.#app.scheduler.start();
    whole.#app.bots.start();
    return whole;
  }

  async close(): Promise<void> {
    this.#app.endWaits();
    await this.#app.server.close();
    await this.#app.bots.stop();
    await this.#app.scheduler.stop();
    await this.#app.runner.stop(0);
    await this.#app.close();
    await this.store.close();
  }

  get server(): App['server'] {
    return this.#app.server;
  }

  /** Another key for the user of this name, who is created if necessary. */
  async member(username: string, options: { isAdmin?: boolean; scope?: KeyScope } = {}): Promise<Member> {
    const keyed = await addKeyedUser(this.store, { username, ...options, at: systemClock.now() });
    return { ...keyed, ...apiOf(this.server, keyed.key) };
  }

  async document(): Promise<OpenapiDocument> {
    const answer = await this.server.inject({ url: '/openapi.json' });
    return JSON.parse(answer.payload) as OpenapiDocument;
  }
}
