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

/** How much of it. */
export interface Size {
  /** Half of them slow with their headers, half with their bodies. */
  readonly slowClients: number;
  readonly sleepingReaders: number;
  /** How many times shorter the service's patience is than in life. */
  readonly haste: number;
  /** Seconds of one window, and how many windows there are before the slow ones come, and after they are gone. */
  readonly windowSeconds: number;
  readonly windows: number;
  /** Characters of the node that is changed again and again: each change is an event of that size. */
  readonly eventSize: number;
}

/** What was seen. */
export interface SlowReport {
  /** The bystander's p99 in milliseconds, median of the windows, without slow clients and with them. */
  readonly normalP99: number;
  readonly besiegedP99: number;
  /** Megabytes. */
  readonly memoryBefore: number;
  readonly memoryGrowth: number;
  /** Seconds after which the last slow client was closed; infinite when one was not. */
  readonly longestBorneSeconds: number;
  readonly sleepersLeftOpen: number;
  /** How old an event was when a reader that reads had it, in milliseconds. */
  readonly deliveryP99: number;
  readonly events: number;
}

/** What was seen of the siege itself. */
type Outcome = Pick<SlowReport, 'besiegedP99' | 'longestBorneSeconds' | 'sleepersLeftOpen' | 'deliveryP99'>;

/** The longest that a slow client may last, in life. */
export const patienceSeconds = 40;

/** Lays siege to a service of its own, and watches how others fare. */
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
      // The first window warms the service up, and counts for nothing.
      await this.#windows(1);
      const before = await this.#windows(this.#size.windows);
      const memoryBefore = this.#mostMemory;
      const siege = await this.#besiege(target);
      // Before and after: what else the machine does changes from minute to minute.
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
    await Promise.race([Promise.all(clients.map((client) => client.closed())), sleep(patienceSeconds * 1000)]);
    const areClosed = await Promise.all(sleepers.map((sleeper) => sleeper.wasClosed()));
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

  /** Changes the watched workflow all the time, before the siege as in it. */
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

/** Twenty changes a second: several people at work. */
const editEveryMs = 50;

function longestBorne(clients: readonly SlowClient[]): number {
  return Math.max(...clients.map(({ borneMs }) => borneMs ?? Number.POSITIVE_INFINITY));
}
