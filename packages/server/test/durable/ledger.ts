import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An external server that records every call, which no crash of the service can undo. */
export class Ledger {
  readonly url: string;
  /** Calls by `<execution id> <step>`. */
  readonly calls = new Map<string, number>();
  /** Idempotency-Keys, also by `<execution id> <step>`. With more than one for a step an effect could happen twice. */
  readonly keys = new Map<string, Set<string>>();
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async open(): Promise<Ledger> {
    const server = createServer((request, response) => {
      const step = `${request.headers['x-execution']} ${request.headers['x-step']}`;
      ledger.calls.set(step, (ledger.calls.get(step) ?? 0) + 1);
      const keys = ledger.keys.get(step) ?? new Set();
      ledger.keys.set(step, keys.add(String(request.headers['idempotency-key'])));
      request.resume();
      response.setHeader('content-type', 'application/json');
      response.end('{"noted":true}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const ledger = new Ledger(server);
    return ledger;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
