import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Responds to a request after its body has been read. */
type Respond = (request: IncomingMessage, response: ServerResponse) => void;

interface Received extends Pick<IncomingMessage, 'method' | 'url' | 'headers'> {
  readonly body: Buffer;
}

const plainAnswer: Respond = (_request, response) => void response.end('{"ok":true}');

/** Another service on a real port, which records the requests it receives. */
export class Remote {
  readonly origin: string;
  readonly received: Received[] = [];
  /** Its response, until a test sets another. */
  answer: Respond = plainAnswer;

  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Returns to the first response, and frees the memory of the requests. */
  forget(): void {
    this.answer = plainAnswer;
    this.received.length = 0;
  }

  /** Starts one for the current test, which also stops it. */
  static async start(): Promise<Remote> {
    const remote = await Remote.open();
    onTestFinished(() => remote.close());
    return remote;
  }

  /** Starts one that the caller closes. */
  static async open(): Promise<Remote> {
    const server = createServer((request, response) => {
      const { method, url, headers } = request;
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        remote.received.push({ method, url, headers, body: Buffer.concat(chunks) });
        response.setHeader('content-type', 'application/json');
        remote.answer(request, response);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const remote = new Remote(server);
    return remote;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
