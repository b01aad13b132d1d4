import { scheduleTimetable } from '@millrace/components';
import type { Execution, JsonObject, User } from '@millrace/core';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { type App, createApp } from '../../src/app.ts';
import { VirtualTime } from '../../src/ground/virtual-time.ts';
import { openSqliteStore } from '../../src/store/sql/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { type Api, apiOf } from './api.ts';
import { closedOutbound } from './closed-outbound.ts';
import { addKeyedUser, type KeyedUser } from './keyed-user.ts';
import { cheapPasswords } from './passwords.ts';
import { checkResponses } from './response-check.ts';
import { testVault } from './vault.ts';

/** A process of the service, as `app.ts` wires it. */
export interface Process {
  readonly api: Api;
  readonly app: App;
  stop(): Promise<void>;
}

/** An in-memory store with processes on it, sequentially or at the same time, in time that the test advances. */
export class Clockwork {
  readonly time: VirtualTime;
  readonly store: Store;
  readonly warnings: string[] = [];
  readonly key: string;
  readonly user: User;
  readonly #running = new Set<Process>();
  /** The schema violations in the answers of each started process. */
  readonly #broken: (readonly string[])[] = [];

  private constructor(time: VirtualTime, store: Store, { user, key }: KeyedUser) {
    this.time = time;
    this.store = store;
    this.user = user;
    this.key = key;
  }

  /** Starts it for the current test, which also closes it. */
  static async at(moment: string): Promise<Clockwork> {
    const time = new VirtualTime(Date.parse(moment));
    const store = openSqliteStore({ path: ':memory:', readTimetable: scheduleTimetable });
    const admin = await addKeyedUser(store, { username: 'admin', isAdmin: true, at: time.clock.now() });
    const clockwork = new Clockwork(time, store, admin);
    onTestFinished(() => clockwork.#close());
    return clockwork;
  }

  /** The running processes. */
  get processes(): readonly Process[] {
    return [...this.#running];
  }

  /** Starts a process, with a runner and a scheduler. */
  async start({ maxOpenRuns = 1000 } = {}): Promise<Process> {
    const { store, time } = this;
    const log = pino({ level: 'warn' }, { write: (line: string) => void this.warnings.push(line) });
    const app = createApp({
      passwords: cheapPasswords(),
      host: '127.0.0.1',
      log,
      store,
      vault: testVault(store),
      clock: time.clock,
      timers: time.timers,
      random: () => 0,
      outbound: closedOutbound,
      maxOpenRuns,
    });
    this.#broken.push(checkResponses(app.server));
    await app.server.ready();
    await store.executions.recover();
    app.runner.start();
    app.scheduler.start();
    const running: Process = { api: apiOf(app.server, this.key), app, stop: () => this.#stop(running) };
    this.#running.add(running);
    await this.settle();
    return running;
  }

  /** Advances the time in steps, and lets everything happen in each. */
  async pass(ms: number, stepMs = 1000): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      this.time.advance(Math.min(stepMs, left));
      await this.settle();
    }
  }

  /** Waits until commits and promises have settled. */
  async settle(): Promise<void> {
    // A scheduled start and its run take about twenty turns of the event loop.
    for (let turn = 0; turn < 40; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  /** A workflow with one schedule, named `tick`. */
  async addSchedule(api: Api, slug: string, config: JsonObject, workflow: JsonObject = {}): Promise<void> {
    await api.post('/api/v1/workflows/', { name: slug, slug, ...workflow });
    const node = { node_id: 'tick', component_type: 'trigger_schedule', config: { extra_config: config } };
    const answer = await api.post(`/api/v1/workflows/${slug}/nodes/`, node);
    if (answer.status !== 201) throw new Error(`no schedule: ${answer.text}`);
    await this.settle();
  }

  /** All runs, oldest first. */
  async runs(): Promise<readonly Execution[]> {
    const page = await this.store.executions.list({ visibleTo: this.user.id, limit: 1000, offset: 0 });
    return page.items.toReversed();
  }

  /** The scheduled times of the runs, oldest first, to the second. */
  async times(): Promise<readonly string[]> {
    const details = await Promise.all((await this.runs()).map(({ id }) => this.store.executions.detail(id)));
    return details.map((detail) => detail?.trigger.text.slice(0, 19) ?? '').sort();
  }

  /** Ends a running run that this test claimed. */
  async end(run: Execution | null): Promise<void> {
    if (run === null) throw new Error('there is no such run');
    const { id, workflowId } = run;
    const at = this.time.clock.now();
    const fact = { kind: 'run_finished', at, status: 'completed', output: null, failure: null, nodeId: null } as const;
    await this.store.executions.append({ id, workflowId, epoch: 1, afterSeq: 0, facts: [fact], events: [] });
  }

  async #stop(running: Process): Promise<void> {
    this.#running.delete(running);
    const { app } = running;
    await app.server.close();
    await app.scheduler.stop();
    await app.runner.stop(0);
    await app.close();
  }

  async #close(): Promise<void> {
    for (const running of this.#running) await this.#stop(running);
    await this.store.close();
    const broken = this.#broken.flat();
    if (broken.length > 0) throw new Error(`responses that violate their schema:\n${broken.join('\n')}`);
    if (this.time.pending > 0) throw new Error(`${this.time.pending} timers are still pending`);
  }
}
