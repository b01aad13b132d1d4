import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { User } from '@millrace/core';
import { WebSocket, WebSocketServer } from 'ws';
import { VirtualTime } from '../../src/ground/virtual-time.ts';
import { Connection } from '../../src/live/connection.ts';
import { Hub } from '../../src/live/hub.ts';
import type { Principal } from '../../src/live/principal.ts';
import type { Topic } from '../../src/live/topic.ts';

const member: User = { id: 1, username: 'member', isAdmin: false, createdAt: 0 };

/** A real socket pair with a connection on its server side, in time that the test advances. */
export class Line {
  readonly time = new VirtualTime();
  readonly hub = new Hub(this.time.clock);
  readonly principal = {
    user: member,
    keyId: 1,
    stands: () => this.isValid,
    recheck: () => this.ask(),
  } satisfies Principal;
  /** Whether this process considers the key valid. */
  isValid = true;
  /** Whether the store has the key. */
  isStored = true;
  ask = async (): Promise<boolean> => this.isStored;
  mayRead = true;
  hasRoom = true;
  lookUps = 0;
  /** A channel lookup waits for this promise. */
  lookUp: Promise<void> = Promise.resolve();
  readonly #server: WebSocketServer;
  readonly #client: WebSocket;
  readonly #connection: Connection;
  readonly #inbox: Record<string, unknown>[] = [];
  readonly #ended: Promise<[code: number, reason: string]>;
  #wake: () => void = () => undefined;

  private constructor(server: WebSocketServer, client: WebSocket, { socket, isKnown }: ServerSide) {
    this.#server = server;
    this.#client = client;
    client.on('message', (data) => {
      this.#inbox.push(JSON.parse(String(data)));
      this.#wake();
    });
    this.#ended = once(client, 'close').then(([code, reason]) => [code, String(reason)]);
    const { clock, timers } = this.time;
    this.#connection = new Connection(socket, isKnown ? this.principal : null, {
      hub: this.hub,
      clock,
      timers,
      cut: () => socket.terminate(),
      identify: async (token) => {
        if (token === 'unreadable') throw new Error('the database cannot be read');
        return token === 'good' ? this.principal : null;
      },
      admit: () => (this.hasRoom ? null : 'crowd'),
      mayReplay: () => true,
      resolveChannel: async (_user, kind, name) => {
        await this.lookUp;
        return this.#resolve(kind, name);
      },
      mayStillRead: async () => this.mayRead,
    });
  }

  /** @param isKnown whether the client sent its key in the handshake */
  static async open(isKnown = true): Promise<Line> {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', maxPayload: 64 * 1024 });
    await once(server, 'listening');
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const [socket] = (await once(server, 'connection')) as [WebSocket];
    socket.on('error', () => undefined);
    const line = new Line(server, client, { socket, isKnown });
    if (client.readyState !== WebSocket.OPEN) await once(client, 'open');
    return line;
  }

  get connection(): Connection {
    return this.#connection;
  }

  /** The subscribed channels of the connection. */
  get channels(): readonly string[] {
    return [...this.hub.topicsOf(this.#connection).keys()];
  }

  say(message: unknown): void {
    this.#client.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  sendBytes(bytes: Buffer): void {
    this.#client.send(bytes);
  }

  async receive(): Promise<Record<string, unknown>> {
    for (;;) {
      const message = this.#inbox.shift();
      if (message !== undefined) return message;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** All messages up to and including the first of this type. */
  async receiveUntil(type: string): Promise<Record<string, unknown>[]> {
    const received = [await this.receive()];
    while (received.at(-1)?.type !== type) received.push(await this.receive());
    return received;
  }

  /** Gives the sockets time to transfer data while nobody reads. */
  async untilIdle(): Promise<void> {
    for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  stopReading(): void {
    this.#client.pause();
  }

  readOn(): void {
    this.#client.resume();
  }

  get ended(): Promise<[code: number, reason: string]> {
    return this.#ended;
  }

  async close(): Promise<void> {
    const gone = [...this.#server.clients].map((socket) => once(socket, 'close'));
    this.#client.terminate();
    await Promise.all(gone);
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #resolve(kind: Topic['kind'], name: string): Topic | null {
    this.lookUps += 1;
    if (name === 'broken') throw new Error('the store is not available');
    if (name !== 'mine') return null;
    const access = 'member';
    return kind === 'workflow' ? { kind, workflowId: 1, access } : { kind, workflowId: 1, executionId: 'e', access };
  }
}

interface ServerSide {
  readonly socket: WebSocket;
  readonly isKnown: boolean;
}
