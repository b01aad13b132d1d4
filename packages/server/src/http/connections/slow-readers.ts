import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { CancelTimer, Timers } from '../../ground/clock.ts';

/** Limits of the answers and events that clients have not read yet. */
interface ReaderLimits {
  /** Bytes of all clients together. */
  readonly together: number;
  /** Milliseconds for which a client that does not read its answer stays connected. */
  readonly stalledMs: number;
}

/**
 * Enough for several large answers at once. A client that reads at all may exceed it; at twice this figure every client
 * counts.
 */
const maxUnreadTogether = 64 * 1024 * 1024;
/** As long as a whole request may take to arrive. */
const maxUnreadMs = 30_000;
const defaultLimits: ReaderLimits = { together: maxUnreadTogether, stalledMs: maxUnreadMs };

/** A client whose network is healthy reads several megabytes between two looks. */
const lookMs = 500;
/** A smaller text is sent at once, so that it is not worth a copy. */
const largeText = 65_536;
/** Looks between two lines in the log: one minute. */
const looksPerLine = 120;

interface SlowReadersPorts {
  readonly timers: Pick<Timers, 'after' | 'soon'>;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * Limits the memory for answers and events that clients do not read. Each WebSocket has a limit of its own, but an
 * answer may have several megabytes, and there may be thousands of connections. Above the limit the clients that have
 * read nothing for half a second are disconnected, the one with the most data first.
 */
export function addSlowReaders(
  app: FastifyInstance,
  { timers, log }: SlowReadersPorts,
  limits: ReaderLimits = defaultLimits,
): void {
  const readers = new Readers(limits);
  let cancel: CancelTimer = () => undefined;
  let looksSinceLine = looksPerLine;
  let sent = 0;
  const look = (): void => {
    cancel = timers.after(lookMs, look);
    readers.look();
    looksSinceLine += 1;
    if (readers.disconnected === 0 || looksSinceLine < looksPerLine) return;
    log.warn({ connections: readers.disconnected }, 'clients that did not read their answers were disconnected');
    readers.disconnected = 0;
    looksSinceLine = 0;
  };
  app.server.on('connection', (socket: Socket) => {
    if (readers.size === 0) cancel = timers.after(lookMs, look);
    readers.add(socket);
    socket.once('close', () => {
      if (readers.size === 0) cancel();
    });
  });
  app.addHook('onClose', (_app, done) => {
    cancel();
    done();
  });
  app.addHook('onSend', (_request, _reply, payload: unknown, done) => {
    if (typeof payload === 'string' || Buffer.isBuffer(payload)) sent += payload.length;
    // Many large answers fit between two looks.
    if (sent > limits.together / 8) {
      sent = 0;
      timers.soon(() => readers.disconnectSlow());
    }
    // While Node sends a string, it takes three bytes for each character.
    const isLarge = typeof payload === 'string' && payload.length > largeText;
    done(null, isLarge ? Buffer.from(payload) : payload);
  });
}

/** The unread data of a client. */
interface Unread {
  /** The position up to which the data left this process. */
  readonly position: number;
  /** The number of regular looks until then. */
  readonly sinceLook: number;
}

/** A client with unread data, at this moment. */
interface Behind {
  readonly socket: Socket;
  readonly bytes: number;
  readonly isStalled: boolean;
}

/** The open connections, and what their clients have not read. */
class Readers {
  readonly #limits: ReaderLimits;
  readonly #open = new Set<Socket>();
  /** In the order in which they were found to have unread data. */
  readonly #unread = new Map<Socket, Unread>();
  #looks = 0;
  /** The number of disconnected clients. */
  disconnected = 0;

  constructor(limits: ReaderLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#open.size;
  }

  add(socket: Socket): void {
    this.#open.add(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#unread.delete(socket);
    });
    // Node starts the time again whenever the system takes some of the data.
    socket.on('timeout', () => {
      if (socket.writableLength > 0) this.#disconnect(socket);
    });
  }

  /** A regular look, after `lookMs`. */
  look(): void {
    this.#looks += 1;
    this.disconnectSlow();
    for (const [socket, { sinceLook }] of this.#unread) {
      if (sinceLook < this.#looks && !socket.timeout) socket.setTimeout(this.#limits.stalledMs);
    }
  }

  /** Disconnects clients until the rest is within the limit. */
  disconnectSlow(): void {
    this.#update();
    const behind = [...this.#unread].map(([socket, unread]) => this.#behind(socket, unread));
    let total = behind.reduce((sum, { bytes }) => sum + bytes, 0);
    if (total <= this.#limits.together) return;
    // The sort is stable: of those that are not stalled, the first to have unread data come first.
    behind.sort((a, b) => Number(b.isStalled) - Number(a.isStalled) || (a.isStalled ? b.bytes - a.bytes : 0));
    for (const { socket, bytes, isStalled } of behind) {
      if (total <= this.#limits.together * (isStalled ? 1 : 2)) return;
      this.#disconnect(socket);
      total -= bytes;
    }
  }

  /** For a client that has read something since the last look, the time starts again. */
  #update(): void {
    for (const socket of this.#open) {
      if (socket.destroyed) continue;
      const position = positionOf(socket);
      if (this.#unread.get(socket)?.position === position) continue;
      if (this.#unread.delete(socket) && socket.timeout === this.#limits.stalledMs) socket.setTimeout(0);
      if (socket.writableLength > 0) this.#unread.set(socket, { position, sinceLook: this.#looks });
    }
  }

  #behind(socket: Socket, { sinceLook }: Unread): Behind {
    // At least one interval lies between two regular looks.
    return { socket, bytes: socket.writableLength, isStalled: this.#looks > sinceLook + 1 };
  }

  /** An orderly close would leave the data in memory until the client reads it. */
  #disconnect(socket: Socket): void {
    this.disconnected += 1;
    this.#unread.delete(socket);
    socket.resetAndDestroy();
  }
}

/** The bytes of a connection that left this process. Data that is written in one piece counts when all of it has. */
function positionOf(socket: Socket): number {
  return socket.writableLength === 0 ? Number.NaN : socket.bytesWritten - socket.writableLength;
}
