import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { User } from '@millrace/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { VirtualTime } from '../../test/support/virtual-time.ts';
import { Connection, type Holder } from './connection.ts';
import { Hub } from './hub.ts';

const member: User = { id: 1, username: 'member', isAdmin: false, createdAt: 0 };

/** A real socket pair with a connection on its server side, in time that the test moves. */
class Line {
  readonly time = new VirtualTime();
  readonly hub = new Hub({ now: this.time.clock.now, mayRead: () => true });
  readonly holder = { user: member, stands: () => this.isValid, recheck: async () => this.isValid } satisfies Holder;
  isValid = true;
  lookUps = 0;
  readonly #server: WebSocketServer;
  readonly #client: WebSocket;
  readonly #inbox: Record<string, unknown>[] = [];
  #wake: () => void = () => undefined;
  #ended: Promise<[code: number, reason: string]>;
  connection: Connection | null = null;

  private constructor(server: WebSocketServer, client: WebSocket) {
    this.#server = server;
    this.#client = client;
    client.on('message', (data) => {
      this.#inbox.push(JSON.parse(String(data)));
      this.#wake();
    });
    this.#ended = once(client, 'close').then(([code, reason]) => [code, String(reason)]);
  }

  static async open(): Promise<Line> {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', maxPayload: 64 * 1024 });
    await once(server, 'listening');
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const line = new Line(server, client);
    const [socket] = (await once(server, 'connection')) as [WebSocket];
    socket.on('error', () => undefined);
    const { clock, timers } = line.time;
    line.connection = new Connection(socket, line.holder, {
      hub: line.hub,
      clock,
      timers,
      resolveChannel: async (_user, kind, name) => {
        line.lookUps += 1;
        if (name === 'broken') throw new Error('the store is gone');
        if (name !== 'mine') return null;
        return kind === 'workflow' ? { kind, workflowId: 1 } : { kind, workflowId: 1, executionId: 'e' };
      },
    });
    if (client.readyState !== WebSocket.OPEN) await once(client, 'open');
    return line;
  }

  say(message: unknown): void {
    this.#client.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  sayBytes(bytes: Buffer): void {
    this.#client.send(bytes);
  }

  async hear(): Promise<Record<string, unknown>> {
    for (;;) {
      const message = this.#inbox.shift();
      if (message !== undefined) return message;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
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
}

let line: Line;
beforeEach(async () => {
  line = await Line.open();
});
afterEach(async () => {
  await line.close();
  // Every timer of a connection ends with it.
  expect(line.time.pending).toBe(0);
});

describe('a client', () => {
  it('subscribes, hears events, and unsubscribes', async () => {
    line.say({ type: 'subscribe', channel: 'workflow:mine' });
    expect(await line.hear()).toEqual({ type: 'subscribed', channel: 'workflow:mine' });
    line.hub.publish([{ workflowId: 1, event: { type: 'edge_deleted', id: 3 } }]);
    expect(await line.hear()).toMatchObject({ type: 'edge_deleted', channel: 'workflow:mine', data: { id: 3 } });
    line.say({ type: 'unsubscribe', channel: 'workflow:mine' });
    expect(await line.hear()).toEqual({ type: 'unsubscribed', channel: 'workflow:mine' });
    expect(line.connection && line.hub.channelsOf(line.connection)).toEqual([]);
  });

  it('answers in the order it was asked, also where one answer takes a look-up', async () => {
    line.say({ type: 'subscribe', channel: 'workflow:mine' });
    line.say({ type: 'unsubscribe', channel: 'workflow:mine' });
    expect([(await line.hear()).type, (await line.hear()).type]).toEqual(['subscribed', 'unsubscribed']);
  });

  it.each([
    ['workflow:other', 'Workflow not found.'],
    ['execution:other', 'Execution not found.'],
    ['news', 'Unknown channel: it must be workflow:<slug> or execution:<id>.'],
    ['workflow:', 'Unknown channel: it must be workflow:<slug> or execution:<id>.'],
    ['workflow:broken', 'The service cannot look this up now. Try again later.'],
  ])('is told why it cannot have the channel %s', async (channel, detail) => {
    line.say({ type: 'subscribe', channel });
    expect(await line.hear()).toEqual({ type: 'error', channel, detail });
  });

  it.each([
    ['{', 'Messages must be JSON.'],
    ['[]', "Unknown message: type must be 'subscribe', 'unsubscribe' or 'pong'."],
    ['null', "Unknown message: type must be 'subscribe', 'unsubscribe' or 'pong'."],
    ['{"type":"publish"}', "Unknown message: type must be 'subscribe', 'unsubscribe' or 'pong'."],
    ['{"type":"subscribe"}', "A message of type 'subscribe' needs a channel: a text of 1 to 200 characters."],
    [
      '{"type":"subscribe","channel":5}',
      "A message of type 'subscribe' needs a channel: a text of 1 to 200 characters.",
    ],
  ])('survives %s', async (text, detail) => {
    line.say(text);
    expect(await line.hear()).toEqual({ type: 'error', detail });
  });

  it('survives any depth of JSON that fits a message', async () => {
    line.say('['.repeat(60_000));
    expect(await line.hear()).toMatchObject({ type: 'error' });
    line.say(`${'['.repeat(30_000)}${']'.repeat(30_000)}`);
    expect(await line.hear()).toMatchObject({ type: 'error' });
  });
});

describe('the limits of a connection', () => {
  it('are 100 channels, and its own again', async () => {
    // Only names of one workflow resolve here; each is another channel to the hub.
    for (let index = 0; index < 100; index++) {
      if (line.connection)
        line.hub.subscribe(line.connection, `workflow:${index}`, { kind: 'workflow', workflowId: index });
    }
    line.say({ type: 'subscribe', channel: 'workflow:mine' });
    expect(await line.hear()).toMatchObject({ detail: 'Too many channels: a connection may have 100.' });
    expect(line.lookUps).toBe(0);
    line.say({ type: 'subscribe', channel: 'workflow:5' });
    expect(await line.hear()).toMatchObject({ type: 'error', detail: 'Workflow not found.' });
  });

  it('are 50 messages in a second', async () => {
    for (let index = 0; index < 51; index++) line.say({ type: 'pong' });
    expect(await line.ended).toEqual([1008, 'Too many messages']);
  });

  it('are messages of text', async () => {
    line.sayBytes(Buffer.from('{"type":"pong"}'));
    expect(await line.ended).toEqual([1003, 'Messages must be text']);
  });

  it('are 64 KiB in a message', async () => {
    line.say('x'.repeat(64 * 1024 + 1));
    expect((await line.ended)[0]).toBe(1009);
  });

  it('are a bounded buffer for a client that does not take its events', async () => {
    line.say({ type: 'subscribe', channel: 'workflow:mine' });
    await line.hear();
    line.stopReading();
    const event = { type: 'node_deleted', nodeId: 'n'.repeat(50_000) } as const;
    const { connection } = line;
    let sent = 0;
    // The network between holds some megabytes; a connection that were never closed would take all of these.
    while (connection && line.hub.channelsOf(connection).length > 0 && sent < 2000) {
      line.hub.publish([{ workflowId: 1, event }]);
      sent += 1;
      if (sent % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(sent).toBeLessThan(2000);
    line.readOn();
    expect(await line.ended).toEqual([1013, 'Too slow: the connection does not take its events']);
  });
});

describe('a connection', () => {
  it('is asked for a sign of life after 30 silent seconds, and closed when none comes in 10', async () => {
    line.time.advance(29_999);
    line.time.advance(1);
    expect(await line.hear()).toEqual({ type: 'ping' });
    line.time.advance(10_000);
    expect(await line.ended).toEqual([1008, 'No answer to ping']);
  });

  it('stays when it answers, and is asked again later', async () => {
    line.time.advance(30_000);
    expect(await line.hear()).toEqual({ type: 'ping' });
    line.time.advance(1000);
    line.say({ type: 'pong' });
    line.say({ type: 'unsubscribe', channel: 'x' });
    expect(await line.hear()).toMatchObject({ type: 'unsubscribed' });
    line.time.advance(29_000);
    line.time.advance(1000);
    expect(await line.hear()).toEqual({ type: 'ping' });
  });

  it('is closed when its key falls, at the latest with the next event', async () => {
    line.say({ type: 'subscribe', channel: 'workflow:mine' });
    await line.hear();
    line.isValid = false;
    line.hub.publish([{ workflowId: 1, event: { type: 'edge_deleted', id: 3 } }]);
    expect(await line.ended).toEqual([1008, 'Invalid or missing token']);
  });

  it('is closed when its key falls while nothing happens', async () => {
    line.isValid = false;
    line.time.advance(30_000);
    expect(await line.ended).toEqual([1008, 'Invalid or missing token']);
  });
});
