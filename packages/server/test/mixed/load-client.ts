import { Agent, request } from 'node:http';

/** The service under load, and the keys to use. */
export interface LoadTarget {
  readonly url: string;
  readonly keys: readonly string[];
}

export interface LoadAnswer {
  readonly status: number;
  readonly body: string;
}

/** One connection, which is opened again when the service has closed it. */
export class LoadClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #url: string;
  readonly #key: string;

  constructor({ url, keys }: LoadTarget) {
    this.#url = url;
    this.#key = keys[0] ?? '';
  }

  call(method: string, path: string, body?: string): Promise<LoadAnswer> {
    const headers = { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' };
    return new Promise((resolve, reject) => {
      const call = request(`${this.#url}${path}`, { method, headers, agent: this.#agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
        );
        response.once('error', reject);
      });
      call.once('error', reject);
      call.end(body);
    });
  }

  end(): void {
    this.#agent.destroy();
  }
}
