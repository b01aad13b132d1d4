import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { WebSocket } from 'ws';

/** The address of the service, and the keys to use. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly keys: readonly string[];
}

/** One byte a second: slow enough to never end, and active enough not to look dead. */
const dripMs = 1000;

/** Opens connections that send their headers byte by byte. */
export function openSlowHeaders(target: Target, count: number): Promise<SlowClient[]> {
  return openAll(count, () => SlowClient.open(target, `GET /health/ HTTP/1.1\r\nHost: ${target.host}\r\nX-Slow: `));
}

/** Opens connections that send the body of an accepted request byte by byte. */
export function openSlowBodies(target: Target, count: number): Promise<SlowClient[]> {
  const head = [
    'POST /api/v1/workflows/ HTTP/1.1',
    `Host: ${target.host}`,
    `Authorization: Bearer ${target.keys[0]}`,
    'Content-Type: application/json',
    'Content-Length: 100000',
  ].join('\r\n');
  return openAll(count, () => SlowClient.open(target, `${head}\r\n\r\n`));
}

/** In batches, because the listener's backlog is not what is tested. */
async function openAll<T>(count: number, open: () => Promise<T>): Promise<T[]> {
  const opened: T[] = [];
  while (opened.length < count) {
    const some = Math.min(50, count - opened.length);
    opened.push(...(await Promise.all(Array.from({ length: some }, open))));
  }
  return opened;
}

/** A connection that sends one byte a second, until the service closes it. */
export class SlowClient {
  readonly #socket: Socket;
  readonly #openedAt = performance.now();
  readonly #drip: NodeJS.Timeout;
  /** How long the service kept it open, in milliseconds; null while it is open. */
  borneMs: number | null = null;
  readonly #closed: Promise<void>;

  private constructor(socket: Socket, beginning: string) {
    this.#socket = socket;
    socket.on('error', () => undefined);
    socket.resume();
    this.#closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.borneMs ??= performance.now() - this.#openedAt;
        clearInterval(this.#drip);
        resolve();
      });
    });
    socket.write(beginning);
    this.#drip = setInterval(() => socket.write('x'), dripMs);
  }

  static async open({ host, port }: Target, beginning: string): Promise<SlowClient> {
    const socket = connect(port, host);
    await once(socket, 'connect');
    return new SlowClient(socket, beginning);
  }

  /** Resolves when the service has closed the connection. */
  closed(): Promise<void> {
    return this.#closed;
  }

  end(): void {
    clearInterval(this.#drip);
    this.#socket.destroy();
  }
}

/** A subscriber that reads at once, and records the age of each event when it arrives. */
export class WideAwakeReader {
  readonly #socket: WebSocket;
  #ages: number[] = [];

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => this.#note(JSON.parse(String(data)) as { timestamp?: number; type: string }));
  }

  static async open({ host, port, keys }: Target, channel: string): Promise<WideAwakeReader> {
    const socket = new WebSocket(`ws://${host}:${port}/ws/`);
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'auth', token: keys.at(-1) }));
    socket.send(JSON.stringify({ type: 'subscribe', channel }));
    await once(socket, 'message');
    return new WideAwakeReader(socket);
  }

  /** The milliseconds from the commit to the arrival of each event since the last call. */
  takeAges(): readonly number[] {
    const ages = this.#ages;
    this.#ages = [];
    return ages;
  }

  end(): void {
    this.#socket.terminate();
  }

  #note({ timestamp, type }: { timestamp?: number; type: string }): void {
    if (type === 'ping') this.#socket.send('{"type":"pong"}');
    else if (timestamp !== undefined) this.#ages.push(Date.now() - timestamp * 1000);
  }
}

/** A subscriber to a channel that does not read. */
export class SleepingReader {
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('error', () => undefined);
  }

  /** Opens this many, 20 per key. */
  static openMany({ host, port, keys }: Target, channel: string, count: number): Promise<SleepingReader[]> {
    let index = 0;
    return openAll(count, async () => {
      const key = keys[Math.floor(index++ / 20)];
      const socket = new WebSocket(`ws://${host}:${port}/ws/`, { headers: { authorization: `Bearer ${key}` } });
      await once(socket, 'open');
      socket.send(JSON.stringify({ type: 'subscribe', channel }));
      const [answer] = await once(socket, 'message');
      if (!String(answer).includes('"subscribed"')) throw new Error(String(answer));
      socket.pause();
      return new SleepingReader(socket);
    });
  }

  /** Resumes, reads the data that is there, and returns whether the service had closed the connection. */
  async wasClosed(): Promise<boolean> {
    const closed = once(this.#socket, 'close').then(() => true);
    this.#socket.resume();
    const patience = new Promise<false>((resolve) => setTimeout(resolve, 10_000, false));
    return Promise.race([closed, patience]);
  }

  /** Sleeps again until the service has closed the connection: on a slow machine it takes longer to fill the buffers. */
  async closed(): Promise<true> {
    while (!(await this.wasClosed())) {
      this.#socket.pause();
      await new Promise((resolve) => setTimeout(resolve, 10_000));
    }
    return true;
  }

  end(): void {
    this.#socket.terminate();
  }
}
