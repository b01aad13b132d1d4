import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceProcess, testKey } from '../durable/service-process.ts';
import {
  openSlowBodies,
  openSlowHeaders,
  SleepingReader,
  type SlowClient,
  type Target,
  WideAwakeReader,
} from './slow-clients.ts';
import { Bystander, median, p99Of, residentMegabytes } from './window.ts';

/** The size of the test. */
export interface Size {
  /** Half of them send slow headers, half slow bodies. */
  readonly slowClients: number;
  readonly sleepingReaders: number;
  /** The divisor of the service's timeouts. */
  readonly haste: number;
  /** Seconds of one window, and the number of windows before the slow clients connect, and after they are closed. */
  readonly windowSeconds: number;
  readonly windows: number;
  /** Characters of the node that is changed repeatedly: each change is an event of that size. */
  readonly eventSize: number;
  /** True if the connections must be closed within `patienceSeconds`; otherwise the test waits until they are closed. */
  readonly isTimed: boolean;
}

/** The measurements. */
export interface SlowReport {
  /** The p99 of normal requests in milliseconds, median of the windows, without slow clients and with them. */
  readonly normalP99: number;
  readonly besiegedP99: number;
  /** Megabytes. */
  readonly memoryBefore: number;
  readonly memoryGrowth: number;
  /** Seconds after which the last slow client was closed; infinite if one was not. */
  readonly longestBorneSeconds: number;
  readonly sleepersLeftOpen: number;
  /** The age of events when a normal subscriber received them, in milliseconds. */
  readonly deliveryP99: number;
  readonly events: number;
}

/** The measurements of the slow clients. */
type Outcome = Pick<SlowReport, 'besiegedP99' | 'longestBorneSeconds' | 'sleepersLeftOpen' | 'deliveryP99'>;

/** The longest real time for which a slow client may stay connected. */
export const patienceSeconds = 40;

/** Starts a service, attacks it with slow clients, and measures other requests. */
export async function besiege(size: Size): Promise<SlowReport> {
  const dataDir = mkdtempSync(join(tmpdir(), 'slow-'));
  const script = new URL(`./hurried-service.ts`, import.meta.url);
  const service = await ServiceProcess.start(dataDir, {}, { script, args: [String(size.haste)] });
  try {
    return await new Siege(service, size).run();
  } finally {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

class Siege {
  readonly #service: ServiceProcess;
  readonly #size: Size;
  readonly #bystander: Bystander;
  #isOver = false;
  #events = 0;
  #mostMemory = 0;

  constructor(service: ServiceProcess, size: Size) {
    this.#service = service;
    this.#size = size;
    this.#bystander = new Bystander(service.url, testKey);
  }

  async run(): Promise<SlowReport> {
    const target = await this.#prepare();
    const [report] = await Promise.all([this.#measure(target), this.#edit()]);
    return report;
  }

  async #measure(target: Target): Promise<SlowReport> {
    try {
      // The first window warms the service up, and is not counted.
      await this.#windows(1);
      const before = await this.#windows(this.#size.windows);
      const memoryBefore = this.#mostMemory;
      const siege = await this.#besiege(target);
      // Before and after, because other load on the machine changes from minute to minute.
      const after = await this.#windows(this.#size.windows);
      const memoryGrowth = this.#mostMemory - memoryBefore;
      return { normalP99: median([...before, ...after]), ...siege, memoryBefore, memoryGrowth, events: this.#events };
    } finally {
      this.#isOver = true;
      this.#bystander.end();
    }
  }

  async #besiege(target: Target): Promise<Outcome> {
    const { slowClients, sleepingReaders, haste, windowSeconds } = this.#size;
    const half = Math.floor(slowClients / 2);
    const clients = [...(await openSlowHeaders(target, half)), ...(await openSlowBodies(target, slowClients - half))];
    const reader = await WideAwakeReader.open(target, 'workflow:watched');
    const sleepers = await SleepingReader.openMany(target, 'workflow:watched', sleepingReaders);
    const p99s = await this.#windows(Math.ceil(patienceSeconds / haste / windowSeconds) + 1);
    const ages = reader.takeAges();
    const allClosed = Promise.all(clients.map((client) => client.closed()));
    await (this.#size.isTimed ? Promise.race([allClosed, sleep(patienceSeconds * 1000)]) : allClosed);
    const areClosed = await Promise.all(
      sleepers.map((sleeper) => (this.#size.isTimed ? sleeper.wasClosed() : sleeper.closed())),
    );
    for (const client of [...clients, ...sleepers, reader]) client.end();
    return {
      besiegedP99: median(p99s),
      longestBorneSeconds: longestBorne(clients) / 1000,
      sleepersLeftOpen: areClosed.filter((isClosed) => !isClosed).length,
      deliveryP99: p99Of(ages),
    };
  }

  async #prepare(): Promise<Target> {
    const node = { node_id: 'text', component_type: 'template', config: {} };
    await this.#call('POST', '/api/v1/workflows/', { name: 'Watched', slug: 'watched' });
    await this.#call('POST', '/api/v1/workflows/watched/nodes/', node);
    const keys: string[] = [];
    for (let count = 0; count < Math.ceil(this.#size.sleepingReaders / 20) + 1; count += 1) {
      const issued = await this.#call('POST', '/api/v1/users/me/keys/', { name: `reader ${count}` });
      keys.push((issued as { key: string }).key);
    }
    const { hostname, port } = new URL(this.#service.url);
    return { host: hostname, port: Number(port), keys };
  }

  /** Changes the watched workflow continuously, before and during the attack. */
  async #edit(): Promise<void> {
    while (!this.#isOver) {
      const template = String(this.#events).padEnd(this.#size.eventSize, 'x');
      await this.#call('PATCH', '/api/v1/workflows/watched/nodes/text/', { config: { extra_config: { template } } });
      this.#events += 1;
      await new Promise((resolve) => setTimeout(resolve, editEveryMs));
    }
  }

  async #windows(count: number): Promise<number[]> {
    const p99s: number[] = [];
    for (let index = 0; index < count; index += 1) {
      p99s.push(await this.#bystander.p99(this.#size.windowSeconds));
      this.#mostMemory = Math.max(this.#mostMemory, residentMegabytes(this.#service.pid));
    }
    return p99s;
  }

  async #call(method: string, path: string, body: unknown): Promise<unknown> {
    const answer = await this.#service.call(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}

/** Twenty changes a second, like several active users. */
const editEveryMs = 50;

function longestBorne(clients: readonly SlowClient[]): number {
  return Math.max(...clients.map(({ borneMs }) => borneMs ?? Number.POSITIVE_INFINITY));
}
