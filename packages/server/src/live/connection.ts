import type { User } from '@millrace/core';
import type { WebSocket } from 'ws';
import type { CancelTimer, Clock, Timers } from '../ground/clock.ts';
import { type ClientMessage, readClientMessage } from './client-message.ts';
import { type Closing, closings } from './closings.ts';
import { Heartbeat } from './heartbeat.ts';
import type { Hub, Subscriber } from './hub.ts';
import type { Principal } from './principal.ts';
import { notFoundDetail, parseChannel, type Topic } from './topic.ts';

/** The dependencies of a connection. */
export interface ConnectionPorts {
  readonly hub: Hub;
  readonly clock: Clock;
  readonly timers: Timers;
  /**
   * Destroys the socket with everything queued in it: an orderly close would leave megabytes in system buffers until
   * the client reads them.
   */
  readonly cut: () => void;
  /** The owner of the key in a client's first message; null for a wrong key. */
  readonly identify: (token: string) => Promise<Principal | null>;
  /** Adds the connection to the count of its key; false if the key has too many. */
  readonly admit: (connection: Connection, principal: Principal) => Closing | null;
  /** Resolves a channel name for this user; null if it does not exist or the user may not read it. */
  readonly resolveChannel: (user: User, kind: Topic['kind'], name: string) => Promise<Topic | null>;
  /** Whether the user may get so many missed events now. */
  readonly mayReplay: (user: User, events: number) => boolean;
  /** Whether the user may still read the subscribed channel. */
  readonly mayStillRead: (user: User, topic: Topic) => Promise<boolean>;
}

/** More than a dashboard shows at once. */
const maxChannels = 100;
/**
 * The maximum number of bytes that are buffered for a client. Beyond it, events are dropped and the client must request
 * a replay.
 */
const maxBufferedBytes = 1 << 20;
/** The same limit for ephemeral events: text that is several seconds old is not worth sending. */
const maxBufferedEphemeral = 64 * 1024;
/** A client sends a few messages in a burst; more than this is a bug or an attack. */
const maxMessagesPerSecond = 50;
/** A page sends its key in its first message, directly after opening the connection. */
const tokenMs = 5000;
/** The connection is closed if no data can be sent for this long: the network is down or the client hangs. */
const catchUpMs = 10_000;
/** The maximum number of messages of a client that wait to be handled: two seconds at the maximum rate. */
const maxWaitingMessages = 100;
/** The time a client has to answer a close frame before its socket is destroyed. */
const closeTimeoutMs = 2000;

type Subscribe = Extract<ClientMessage, { readonly type: 'subscribe' }>;

const noTimer: CancelTimer = () => undefined;

/** The socket of one client: its messages, its heartbeat and its limits. */
export class Connection implements Subscriber {
  readonly #socket: WebSocket;
  readonly #hub: Hub;
  readonly #ports: ConnectionPorts;
  #principal: Principal | null = null;
  /** True once the key is known or being checked; later messages are not the first one. */
  #hasFirstMessage = false;
  #work: Promise<void> = Promise.resolve();
  #waitingMessages = 0;
  #second = 0;
  #messagesInSecond = 0;
  readonly #cancelToken: CancelTimer;
  #heartbeat: Heartbeat | null = null;
  #cancelCatchUp: CancelTimer = noTimer;
  #isBehind = false;
  #isOpen = true;

  /** @param principal null if the key arrives in the first message */
  constructor(socket: WebSocket, principal: Principal | null, ports: ConnectionPorts) {
    this.#socket = socket;
    this.#hub = ports.hub;
    this.#ports = ports;
    this.#cancelToken = ports.timers.after(tokenMs, () => this.close('token'));
    socket.on('message', (data, isBinary) => this.#receive(String(data), isBinary));
    socket.on('close', () => this.#cleanUp());
    if (principal !== null) this.#accept(principal);
  }

  deliver(message: Buffer, isEphemeral = false): void {
    if (!this.#isOpen || this.#isBehind) return;
    if (isEphemeral && this.#socket.bufferedAmount > maxBufferedEphemeral) return;
    if (!this.#isKeyValid()) this.close('token');
    else if (this.#socket.bufferedAmount > maxBufferedBytes) this.#fallBehind();
    else this.#socket.send(message, { binary: false });
  }

  revoked(channel: string, detail: string): void {
    this.#send({ type: 'error', channel, detail });
  }

  close(why: Closing): void {
    if (!this.#isOpen) return;
    this.#cleanUp();
    const [code, reason] = closings[why];
    this.#socket.close(code, reason);
    const cancel = this.#ports.timers.after(closeTimeoutMs, this.#ports.cut);
    this.#socket.once('close', cancel);
  }

  /** Closes the connection if its key has expired, without a query to the store. */
  checkKey(): void {
    if (this.#principal !== null && !this.#isKeyValid()) this.close('token');
  }

  /** Checks again whether the key is valid and all channels may still be read. */
  async recheck(): Promise<void> {
    const principal = this.#principal;
    if (principal === null) return;
    if (!(await principal.recheck())) return this.close('token');
    let isReduced = false;
    for (const [channel, topic] of this.#hub.topicsOf(this)) {
      if (await this.#ports.mayStillRead(principal.user, topic)) continue;
      this.#hub.revoke(this, channel);
      isReduced = true;
    }
    if (isReduced) this.close('access');
  }

  #isKeyValid(): boolean {
    return this.#principal?.stands() ?? false;
  }

  #accept(principal: Principal): void {
    const rejection = this.#ports.admit(this, principal);
    if (rejection !== null) {
      this.close(rejection);
      return;
    }
    this.#hasFirstMessage = true;
    this.#principal = principal;
    this.#cancelToken();
    const { clock, timers } = this.#ports;
    const ask = (): void => this.#send({ type: 'ping' });
    this.#heartbeat = new Heartbeat({ clock, timers, ask, silent: () => this.close('silent') });
  }

  #cleanUp(): void {
    this.#isOpen = false;
    this.#cancelToken();
    this.#heartbeat?.stop();
    this.#cancelCatchUp();
    this.#hub.drop(this);
  }

  /** Responses are sent even while events are dropped. A client that keeps sending without reading is disconnected. */
  #send(message: Readonly<Record<string, unknown>>): void {
    if (!this.#isOpen) return;
    if (this.#socket.bufferedAmount > 2 * maxBufferedBytes) this.close('slow');
    else this.#socket.send(JSON.stringify(message));
  }

  /** Drops events until the network has accepted the queued data, then sends the client a request to replay. */
  #fallBehind(): void {
    this.#isBehind = true;
    this.#cancelCatchUp = this.#ports.timers.after(catchUpMs, () => this.close('slow'));
    this.#socket.send(JSON.stringify({ type: 'resync_required' }), () => {
      this.#isBehind = false;
      this.#cancelCatchUp();
    });
  }

  #receive(text: string, isBinary: boolean): void {
    if (!this.#isOpen) return;
    this.#heartbeat?.received();
    if (isBinary) this.close('binary');
    else if (this.#floods()) this.close('flood');
    else if (this.#hasFirstMessage) this.#enqueue(readClientMessage(text));
    else this.#handleFirst(readClientMessage(text));
  }

  /** Handles the first message of a client without a key; only `auth` is allowed. */
  #handleFirst(message: ClientMessage | string): void {
    if (typeof message === 'string' || message.type !== 'auth') this.close('token');
    else {
      this.#hasFirstMessage = true;
      this.#work = this.#authenticate(message.token);
    }
  }

  async #authenticate(token: string): Promise<void> {
    const principal = await this.#ports.identify(token).catch(() => 'unknown' as const);
    if (!this.#isOpen) return;
    if (principal === 'unknown') this.close('unavailable');
    else if (principal === null) this.close('token');
    else this.#accept(principal);
  }

  #enqueue(message: ClientMessage | string): void {
    if (typeof message === 'string') this.#send({ type: 'error', detail: message });
    else if (this.#waitingMessages >= maxWaitingMessages) this.close('flood');
    else {
      this.#waitingMessages += 1;
      // In order: an unsubscribe must not overtake the subscribe before it, which queries the store.
      this.#work = this.#work
        .then(() => this.#handle(message))
        .finally(() => {
          this.#waitingMessages -= 1;
        });
    }
  }

  #floods(): boolean {
    const second = Math.floor(this.#ports.clock.monotonic() / 1000);
    this.#messagesInSecond = second === this.#second ? this.#messagesInSecond + 1 : 1;
    this.#second = second;
    return this.#messagesInSecond > maxMessagesPerSecond;
  }

  async #handle(message: ClientMessage): Promise<void> {
    if (!this.#isOpen || this.#principal === null) return;
    switch (message.type) {
      case 'pong':
        return;
      case 'auth':
        return this.#send({ type: 'error', detail: 'This connection is already authenticated.' });
      case 'unsubscribe':
        this.#hub.unsubscribe(this, message.channel);
        return this.#send({ type: 'unsubscribed', channel: message.channel });
      case 'subscribe':
        return this.#subscribe(this.#principal.user, message);
    }
  }

  async #subscribe(user: User, { channel, after, epoch }: Subscribe): Promise<void> {
    const topic = await this.#resolve(user, channel);
    if (!this.#isOpen) return;
    if (typeof topic === 'string') return this.#send({ type: 'error', channel, detail: topic });
    const position = this.#hub.subscribe(this, channel, topic);
    if (after === undefined) return this.#send({ type: 'subscribed', channel, ...position });
    const may = (events: number): boolean => this.#ports.mayReplay(user, events);
    const { complete, messages } = this.#hub.replay(channel, topic, { seq: after, epoch: epoch ?? null }, may);
    this.#send({ type: 'subscribed', channel, ...position, complete });
    await this.#sendAll(messages);
  }

  /** Resolves when the network has taken the data, so that two replays are never buffered at once. */
  async #sendAll(messages: readonly Buffer[]): Promise<void> {
    const last = messages.at(-1);
    if (last === undefined) return;
    for (const message of messages.slice(0, -1)) this.#socket.send(message, { binary: false });
    const cancel = this.#ports.timers.after(catchUpMs, () => this.close('slow'));
    await new Promise<void>((resolve) => this.#socket.send(last, { binary: false }, () => resolve()));
    cancel();
  }

  async #resolve(user: User, channel: string): Promise<Topic | string> {
    const named = parseChannel(channel);
    if (named === null) return 'Unknown channel. Use workflow:<slug> or execution:<id>.';
    const held = this.#hub.topicsOf(this);
    if (held.size >= maxChannels && !held.has(channel)) {
      return `Too many channels: a connection may have at most ${maxChannels}. Unsubscribe from one, or open another connection.`;
    }
    try {
      return (await this.#ports.resolveChannel(user, named.kind, named.name)) ?? notFoundDetail[named.kind];
    } catch {
      return 'The service cannot check this channel now. Try again later.';
    }
  }
}
