import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { LoadTarget } from './load-client.ts';

/** The WebSockets of one key. */
const socketsPerKey = 20;

/** A subscriber that reads everything, or nothing. It counts what it receives. */
export class Subscriber {
  readonly #socket: WebSocket;
  messages = 0;
  isClosed = false;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.isClosed = true;
    });
    socket.on('message', (data) => {
      this.messages += 1;
      if (String(data).includes('"ping"')) socket.send('{"type":"pong"}');
    });
  }

  static async open({ url, keys }: LoadTarget, index: number, channel: string): Promise<Subscriber> {
    const key = keys[1 + Math.floor(index / socketsPerKey)] ?? '';
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/`, { headers: { authorization: `Bearer ${key}` } });
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'subscribe', channel }));
    await once(socket, 'message');
    return new Subscriber(socket);
  }

  sleep(): void {
    this.#socket.pause();
  }

  end(): void {
    this.#socket.terminate();
  }
}

/** Reads large answers slowly, or not at all, and connects again whenever it is disconnected. */
export class SlowReader {
  readonly #target: LoadTarget;
  readonly #bytesPerSecond: number;
  #socket: Socket | null = null;
  #isOver = false;
  connections = 0;

  constructor(target: LoadTarget, bytesPerSecond: number) {
    this.#target = target;
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** Each asks for two answers at once: the system's buffers may hold the first one. */
  async run(path: string, afterMs: number): Promise<void> {
    await sleep(afterMs);
    const { hostname, port } = new URL(this.#target.url);
    const head = `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${this.#target.keys[0]}\r\n\r\n`;
    while (!this.#isOver) {
      const socket = connect(Number(port), hostname);
      this.#socket = socket;
      this.connections += 1;
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      socket.on('error', () => undefined);
      socket.pause();
      socket.write(head.repeat(2));
      const reads = setInterval(() => socket.read(this.#bytesPerSecond / 10), 100);
      await closed;
      clearInterval(reads);
      await sleep(500);
    }
  }

  end(): void {
    this.#isOver = true;
    this.#socket?.destroy();
  }
}
