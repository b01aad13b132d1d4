import { setTimeout as sleep } from 'node:timers/promises';
import { p99Of } from '../slow/window.ts';
import { type LoadAnswer, LoadClient, type LoadTarget } from './load-client.ts';
import { SlowReader, Subscriber } from './load-readers.ts';
import { createWorkflows, editedWorkflows } from './load-workflows.ts';

/** The work of some connections: each sends a request, waits for its answer, and sends the next one when it is due. */
interface Work {
  readonly name: string;
  readonly connections: number;
  readonly everyMs: number;
  readonly isSmall: boolean;
  readonly send: (client: LoadClient, index: number, round: number) => Promise<LoadAnswer>;
}

/** The result, which this process prints as JSON. */
export interface LoadReport {
  readonly connections: number;
  /** How often each status came, by kind of work. */
  readonly statuses: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Requests that got no answer. */
  readonly failures: readonly string[];
  /** The latencies of small requests in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** The p99 of each kind of small request. */
  readonly p99ByKind: Readonly<Record<string, number>>;
  /** Events that subscribers received, and subscribers that were disconnected although they read. */
  readonly events: number;
  readonly lostSubscribers: number;
  /** Connections of slow readers: more than there are slow readers if the service disconnected some. */
  readonly slowConnections: number;
}

const mebi = 1024 * 1024;
const small = JSON.stringify({ n: 21, text: 'a short payload, as most webhooks send', tags: ['a', 'b', 'c'] });

/** A table of this many bytes as JSON. */
function table(bytes: number): string {
  const row = { id: 12_345, name: 'a row of a table', price: 12.5, tags: ['a', 'b'] };
  const rows = Math.floor(bytes / (JSON.stringify(row).length + 1));
  return JSON.stringify({ rows: Array.from({ length: rows }, (_, id) => ({ ...row, id })) });
}

class Load {
  readonly #target: LoadTarget;
  readonly #tables = [1, 2, 3, 4, 4.9].map((size) => table(size * mebi));
  readonly #statuses: Record<string, Record<string, number>> = {};
  readonly #failures: string[] = [];
  /** By kind of work. */
  readonly #latencies = new Map<string, number[]>();
  /** The most recent executions of small webhooks. */
  readonly #recent: string[] = [];
  #endsAt = 0;

  constructor(target: LoadTarget) {
    this.#target = target;
  }

  /** @param share the share of 300 connections */
  async run(seconds: number, share: number): Promise<LoadReport> {
    await createWorkflows(this.#target);
    const slowPath = await this.#largeExecution();
    this.#endsAt = performance.now() + seconds * 1000;
    const some = (count: number) => Math.ceil(count * share);
    const subscribers = await this.#subscribe(some(40));
    const sleepers = await this.#subscribe(some(15));
    for (const sleeper of sleepers) sleeper.sleep();
    const slow = Array.from(
      { length: some(25) },
      (_, index) => new SlowReader(this.#target, index % 2 === 0 ? 0 : 50_000),
    );
    // They come one by one: an answer of this size takes 0.3 s of processor time.
    const reading = slow.map((reader, index) => reader.run(slowPath, (seconds * 500 * index) / slow.length));
    const works = this.#works(some);
    await Promise.all(
      works.flatMap((work) => Array.from({ length: work.connections }, (_, index) => this.#repeat(work, index))),
    );
    const lostSubscribers = subscribers.filter(({ isClosed }) => isClosed).length;
    for (const each of [...subscribers, ...sleepers, ...slow]) each.end();
    await Promise.all(reading);
    const sorted = [...this.#latencies.values()].flat().sort((a, b) => a - b);
    return {
      connections: works.reduce(
        (sum, { connections }) => sum + connections,
        subscribers.length + sleepers.length + slow.length,
      ),
      statuses: this.#statuses,
      failures: this.#failures.slice(0, 20),
      p50: Math.round(sorted[Math.floor(sorted.length / 2)] ?? Number.NaN),
      p99: Math.round(p99Of(sorted)),
      p99ByKind: Object.fromEntries([...this.#latencies].map(([name, all]) => [name, Math.round(p99Of(all))])),
      events: subscribers.reduce((sum, { messages }) => sum + messages, 0),
      lostSubscribers,
      slowConnections: slow.reduce((sum, { connections }) => sum + connections, 0),
    };
  }

  #works(some: (count: number) => number): readonly Work[] {
    const patch = (index: number, round: number): string =>
      JSON.stringify({
        config: { extra_config: { template: `${index} ${round}`.padEnd(round % 10 === 0 ? 30_000 : 100, 'x') } },
      });
    return [
      { name: 'webhook', connections: some(80), everyMs: 500, isSmall: true, send: (client) => this.#start(client) },
      {
        name: 'synchronous webhook',
        connections: some(40),
        everyMs: 1000,
        isSmall: true,
        send: (client) => client.call('POST', '/api/v1/webhooks/mixed-answer', small),
      },
      {
        name: 'read',
        connections: some(40),
        everyMs: 1000,
        isSmall: true,
        send: (client, index, round) => client.call('GET', this.#readPath(index, round)),
      },
      {
        name: 'edit',
        connections: some(20),
        everyMs: 1000,
        isSmall: true,
        send: (client, index, round) =>
          client.call(
            'PATCH',
            `/api/v1/workflows/mixed-edit-${index % editedWorkflows}/nodes/text/`,
            patch(index, round),
          ),
      },
      {
        name: 'chat',
        connections: some(20),
        everyMs: 2000,
        isSmall: true,
        send: (client, index, round) =>
          client.call(
            'POST',
            '/api/v1/workflows/mixed-chat/chat/',
            JSON.stringify({ text: `message ${round}`, session_id: String(index) }),
          ),
      },
      {
        name: 'large webhook',
        connections: some(20),
        everyMs: 30_000,
        isSmall: false,
        send: (client, index, round) =>
          client.call('POST', '/api/v1/webhooks/mixed-large', this.#tables[(index + round) % this.#tables.length]),
      },
    ];
  }

  async #start(client: LoadClient): Promise<LoadAnswer> {
    const answer = await client.call('POST', '/api/v1/webhooks/mixed-hook', small);
    if (answer.status === 200) this.#recent.push((JSON.parse(answer.body) as { execution_id: string }).execution_id);
    if (this.#recent.length > 100) this.#recent.shift();
    return answer;
  }

  #readPath(index: number, round: number): string {
    const id = this.#recent[(index + round) % Math.max(1, this.#recent.length)];
    const lists = ['/api/v1/executions/?limit=20', '/api/v1/workflows/?limit=20', '/api/v1/workflows/mixed-hook/'];
    return round % 2 === 0 && id !== undefined ? `/api/v1/executions/${id}/` : (lists[round % lists.length] ?? '');
  }

  async #repeat(work: Work, index: number): Promise<void> {
    const client = new LoadClient(this.#target);
    // Spread over the interval, so that they do not all come at once.
    await sleep(Math.min((work.everyMs * index) / work.connections, this.#endsAt - performance.now()));
    for (let round = 0; performance.now() < this.#endsAt; round += 1) {
      const begin = performance.now();
      await this.#note(work, work.send(client, index, round));
      const took = performance.now() - begin;
      if (work.isSmall) this.#noteLatency(work, took);
      await sleep(Math.max(0, Math.min(work.everyMs - took, this.#endsAt - performance.now())));
    }
    client.end();
  }

  #noteLatency({ name }: Work, ms: number): void {
    const known = this.#latencies.get(name) ?? [];
    known.push(ms);
    this.#latencies.set(name, known);
  }

  async #note({ name }: Work, sent: Promise<LoadAnswer>): Promise<void> {
    try {
      const { status } = await sent;
      const counts = this.#statuses[name] ?? {};
      this.#statuses[name] = { ...counts, [status]: (counts[status] ?? 0) + 1 };
    } catch (error) {
      this.#failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  #subscribe(count: number): Promise<Subscriber[]> {
    const channel = (index: number) => `workflow:mixed-edit-${index % editedWorkflows}`;
    return Promise.all(
      Array.from({ length: count }, (_, index) => Subscriber.open(this.#target, this.#subscribers++, channel(index))),
    );
  }
  #subscribers = 0;

  /** The path of an execution whose answer has several megabytes. */
  async #largeExecution(): Promise<string> {
    const client = new LoadClient(this.#target);
    const { body } = await client.call('POST', '/api/v1/webhooks/mixed-large', this.#tables[2]);
    const path = `/api/v1/executions/${(JSON.parse(body) as { execution_id: string }).execution_id}/`;
    while (!(await client.call('GET', path)).body.includes('"status":"completed"')) await sleep(50);
    client.end();
    return path;
  }
}

const [target = '{}', seconds = '1', share = '1'] = process.argv.slice(2);
const load = new Load(JSON.parse(target) as LoadTarget);
console.log(JSON.stringify(await load.run(Number(seconds), Number(share))));
process.exit(0);
