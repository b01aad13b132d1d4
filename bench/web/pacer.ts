import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that answers so many requests per second, in the order of their arrival: it sets the pace of an execution. */
export class Pacer {
  /** The answers so far. */
  answered = 0;
  readonly #server: Server;
  readonly #waiting: ServerResponse[] = [];
  #timer: NodeJS.Timeout | null = null;

  private constructor() {
    this.#server = createServer((request, response) => {
      request.resume();
      this.#waiting.push(response);
    });
  }

  static async start(perSecond: number): Promise<Pacer> {
    const pacer = new Pacer();
    pacer.#server.listen(0, '127.0.0.1');
    await once(pacer.#server, 'listening');
    const startedAt = performance.now();
    let due = 0;
    // A late timer answers what was due since the last one, but never makes up for a time without requests.
    pacer.#timer = setInterval(() => {
      const total = Math.floor(((performance.now() - startedAt) * perSecond) / 1000);
      const ready = pacer.#waiting.splice(0, total - due);
      due = total;
      pacer.answered += ready.length;
      for (const response of ready) response.setHeader('content-type', 'application/json').end('{"ok":true}');
    }, 10);
    return pacer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
