import { execFileSync } from 'node:child_process';
import { Agent, request } from 'node:http';

/** Requests a second: enough for a p99, far below the capacity of the service. */
const perSecond = 100;

/** Normal requests: short ones at an even rate, over a few connections. */
export class Bystander {
  /** In turn, so that no connection is idle long enough to be closed just when it is reused. */
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8, scheduling: 'fifo' });
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  /** The 99th percentile of the latencies within some seconds, in milliseconds. */
  async p99(seconds: number): Promise<number> {
    const latencies: Promise<number>[] = [];
    const begin = performance.now();
    for (let count = 0; count < seconds * perSecond; count += 1) {
      latencies.push(this.#latency());
      const next = begin + ((count + 1) * 1000) / perSecond;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())));
    }
    return p99Of(await Promise.all(latencies));
  }

  end(): void {
    this.#agent.destroy();
  }

  #latency(): Promise<number> {
    const begin = performance.now();
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${this.#key}` };
      const call = request(`${this.#url}/api/v1/workflows/`, { agent: this.#agent, headers }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
        response.resume();
        response.once('end', () => resolve(performance.now() - begin));
      });
      call.once('error', reject);
      call.end();
    });
  }
}

/** The 99th percentile. */
export function p99Of(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN;
}

/** Resident memory of a process in megabytes. */
export function residentMegabytes(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
