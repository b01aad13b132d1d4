import { describe, expect, test } from 'vitest';
import { LiveConnection, type LiveMessage } from './live.ts';

type Listener = (event: { readonly data: unknown }) => void;

/** A socket whose other end is the test. */
class TestSocket {
  readyState = 0;
  readonly sent: Record<string, unknown>[] = [];
  readonly #listeners = new Map<string, Listener>();

  addEventListener(type: string, listener: Listener, { signal }: { signal: AbortSignal }): void {
    this.#listeners.set(type, listener);
    signal.addEventListener('abort', () => this.#listeners.delete(type));
  }

  send(text: string): void {
    if (this.readyState !== 1) throw new Error('the socket is not open');
    this.sent.push(JSON.parse(text));
  }

  close(): void {
    this.readyState = 3;
  }

  accept(): void {
    this.readyState = 1;
    this.#report('open');
  }

  /** The service ends the connection. */
  end(): void {
    this.readyState = 3;
    this.#report('close');
  }

  receive(message: object): void {
    this.#report('message', JSON.stringify(message));
  }

  #report(type: string, data: unknown = null): void {
    this.#listeners.get(type)?.({ data });
  }
}

function setUp() {
  const sockets: TestSocket[] = [];
  const timers = new Set<{ readonly at: number; readonly fn: () => void }>();
  let now = 0;
  const live = new LiveConnection({
    open: () => {
      const socket = new TestSocket();
      sockets.push(socket);
      return socket;
    },
    now: () => now,
    after: (ms, fn) => {
      const timer = { at: now + ms, fn };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    random: () => 1,
  });
  const advance = (ms: number): void => {
    now += ms;
    for (const timer of [...timers]) if (timer.at <= now && timers.delete(timer)) timer.fn();
  };
  const log: string[] = [];
  const subscriber = {
    event: ({ seq }: LiveMessage) => void log.push(`event ${seq}`),
    gap: () => void log.push('gap'),
    rejected: (detail: string) => void log.push(detail),
  };
  return { live, sockets, advance, log, subscriber };
}

const channel = 'workflow:orders';

/** A connection that is subscribed to the channel. */
function connected() {
  const all = setUp();
  const leave = all.live.subscribe(channel, all.subscriber);
  const [socket] = all.sockets;
  if (socket === undefined) throw new Error('there is no socket');
  socket.accept();
  socket.receive({ type: 'subscribed', channel, seq: 5, epoch: 'a' });
  return { ...all, socket, leave };
}

describe('a live connection', () => {
  test('opens with the first subscription, reads the current state, and receives events', () => {
    const { socket, log, live } = connected();
    socket.receive({ type: 'node_updated', channel, seq: 6, data: {} });
    expect(socket.sent).toEqual([{ type: 'subscribe', channel }]);
    expect(log).toEqual(['gap', 'event 6']);
    expect(live.state).toEqual({ kind: 'open' });
  });

  test('continues after the last event when the connection was lost', () => {
    const { socket, sockets, advance, log, live } = connected();
    socket.receive({ type: 'node_updated', channel, seq: 6, data: {} });
    socket.end();
    expect(live.state).toEqual({ kind: 'paused', retryAt: 500 });
    advance(500);
    sockets[1]?.accept();
    expect(sockets[1]?.sent).toEqual([{ type: 'subscribe', channel, after: 6, epoch: 'a' }]);
    sockets[1]?.receive({ type: 'subscribed', channel, seq: 8, epoch: 'a', complete: true });
    sockets[1]?.receive({ type: 'node_updated', channel, seq: 7, data: {} });
    expect(log).toEqual(['gap', 'event 6', 'event 7']);
  });

  test('reports a gap if the service no longer has the missed events', () => {
    const { socket, sockets, advance, log } = connected();
    socket.end();
    advance(500);
    sockets[1]?.accept();
    sockets[1]?.receive({ type: 'subscribed', channel, seq: 2, epoch: 'b', complete: false });
    expect(log).toEqual(['gap', 'gap']);
    sockets[1]?.end();
    advance(1000);
    sockets[2]?.accept();
    expect(sockets[2]?.sent).toEqual([{ type: 'subscribe', channel, after: 2, epoch: 'b' }]);
  });

  test('waits longer after each failure, up to 15 seconds', () => {
    const { live, sockets, advance, subscriber } = setUp();
    live.subscribe(channel, subscriber);
    const delays = Array.from({ length: 7 }, () => {
      sockets.at(-1)?.end();
      const { state } = live;
      if (state.kind !== 'paused') throw new Error('it does not wait');
      const before = sockets.length;
      for (let ms = 500; ; ms += 500) {
        advance(500);
        if (sockets.length > before) return ms;
      }
    });
    expect(delays).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000]);
  });
});

describe('an open connection', () => {
  test('treats 45 seconds of silence as a lost connection, and answers pings', () => {
    const { socket, advance, live } = connected();
    advance(30_000);
    socket.receive({ type: 'ping' });
    expect(socket.sent.at(-1)).toEqual({ type: 'pong' });
    advance(44_000);
    expect(live.state.kind).toBe('open');
    advance(1000);
    expect(live.state.kind).toBe('paused');
  });

  test('subscribes again when the service had to drop events', () => {
    const { socket } = connected();
    socket.receive({ type: 'node_updated', channel, seq: 9, data: {} });
    socket.receive({ type: 'resync_required' });
    expect(socket.sent.at(-1)).toEqual({ type: 'subscribe', channel, after: 9, epoch: 'a' });
  });

  test('closes 5 seconds after the last subscription, and sends nothing on a socket that is closing', () => {
    const { socket, leave, sockets, advance } = connected();
    socket.readyState = 2;
    leave();
    advance(4999);
    expect(socket.readyState).toBe(2);
    advance(1);
    expect(socket.readyState).toBe(3);
    advance(60_000);
    expect(sockets.length).toBe(1);
  });

  test('stays open when another page subscribes within these 5 seconds', () => {
    const { live, subscriber, socket, leave, sockets, advance } = connected();
    leave();
    advance(4000);
    live.subscribe('workflow:other', subscriber);
    advance(4000);
    expect([sockets.length, socket.readyState]).toEqual([1, 1]);
    expect(socket.sent.at(-1)).toEqual({ type: 'subscribe', channel: 'workflow:other' });
  });

  test('passes on why a channel is rejected', () => {
    const { socket, log } = connected();
    socket.receive({ type: 'error', channel, detail: 'Workflow not found.' });
    expect(log).toEqual(['gap', 'Workflow not found.']);
  });
});
