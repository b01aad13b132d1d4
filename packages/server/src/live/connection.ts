import type { User } from '@millrace/core';
import type { WebSocket } from 'ws';
import type { CancelTimer, Clock, Timers } from '../ground/clock.ts';
import { type ClientMessage, readClientMessage } from './client-message.ts';
import { type Closing, closings } from './closings.ts';
import { Heartbeat } from './heartbeat.ts';
import type { Hub, Subscriber } from './hub.ts';
import type { Holder } from './principal.ts';
import { notFoundDetail, parseChannel, type Topic } from './topic.ts';

/** What a connection reaches the world through. */
export interface ConnectionPorts {
  readonly hub: Hub;
  readonly clock: Clock;
  readonly timers: Timers;
  /**
   * Takes the socket away, with all that waits in it: an orderly end would leave megabytes with the system until the
   * client takes them.
   */
  readonly cut: () => void;
  /** Whose the key in a client's first message is; null for a wrong one. */
  readonly identify: (token: string) => Promise<Holder | null>;
  /** Counts the connection among its key's; false when the key has too many. */
  readonly admit: (connection: Connection, holder: Holder) => boolean;
  /** What the channel's name leads to for this user; null when they may not read it, or it does not exist. */
  readonly resolveChannel: (user: User, kind: Topic['kind'], name: string) => Promise<Topic | null>;
  /** Whether this user may still read what they subscribed to. */
  readonly mayStillRead: (user: User, topic: Topic) => Promise<boolean>;
}

const maxChannels = 100;
/** What a reader may be behind by; beyond it the server would keep the events that the network cannot take. */
const maxBufferedBytes = 1 << 20;
/** The same for what is only passing: what waits longer than some seconds is not worth sending. */
const maxBufferedPassing = 64 * 1024;
/** A person's editor sends a few in a burst; more than this is a mistake or an attack. */
const maxMessagesPerSecond = 50;
/** A page sends its key with its first message, as soon as the connection is open. */
const tokenMs = 5000;
/** A network that takes nothing for as long is down, or its client hangs. */
const catchUpMs = 10_000;
/** Of a client's messages, those that wait for their turn: two seconds' worth of the fastest that is allowed. */
const maxWaitingMessages = 100;
/** What a client gets to answer a close with its own before its socket is taken away. */
const farewellMs = 2000;

const nothing: CancelTimer = () => undefined;

/** One client's socket: its messages, its heartbeat and its limits. */
export class Connection implements Subscriber {
  readonly #socket: WebSocket;
  readonly #hub: Hub;
  readonly #ports: ConnectionPorts;
  #holder: Holder | null = null;
  /** The first message has come, or was not needed. */
  #isIntroduced = false;
  #work: Promise<void> = Promise.resolve();
  #waitingMessages = 0;
  #second = 0;
  #messagesInSecond = 0;
  readonly #cancelToken: CancelTimer;
  #heartbeat: Heartbeat | null = null;
  #cancelCatchUp: CancelTimer = nothing;
  #isBehind = false;
  #isOpen = true;

  /** @param holder null where the key is to come with the first message */
  constructor(socket: WebSocket, holder: Holder | null, ports: ConnectionPorts) {
    this.#socket = socket;
    this.#hub = ports.hub;
    this.#ports = ports;
    this.#cancelToken = ports.timers.after(tokenMs, () => this.close('token'));
    socket.on('message', (data, isBinary) => this.#hear(String(data), isBinary));
    socket.on('close', () => this.#leave());
    if (holder !== null) this.#enter(holder);
  }

  deliver(message: Buffer, isPassing = false): void {
    if (!this.#isOpen || this.#isBehind) return;
    if (isPassing && this.#socket.bufferedAmount > maxBufferedPassing) return;
    if (!this.#stands()) this.close('token');
    else if (this.#socket.bufferedAmount > maxBufferedBytes) this.#fallBehind();
    else this.#socket.send(message, { binary: false });
  }

  revoked(channel: string, detail: string): void {
    this.#say({ type: 'error', channel, detail });
  }

  close(why: Closing): void {
    if (!this.#isOpen) return;
    this.#leave();
    const [code, reason] = closings[why];
    this.#socket.close(code, reason);
    const cancel = this.#ports.timers.after(farewellMs, this.#ports.cut);
    this.#socket.once('close', cancel);
  }

  /** Closes the connection if its key has fallen, as far as this process knows. */
  checkKey(): void {
    if (this.#holder !== null && !this.#stands()) this.close('token');
  }

  /** Asks anew whether the key stands, and whether all channels may still be read. */
  async recheck(): Promise<void> {
    const holder = this.#holder;
    if (holder === null) return;
    if (!(await holder.recheck())) return this.close('token');
    let isReduced = false;
    for (const [channel, topic] of this.#hub.topicsOf(this)) {
      if (await this.#ports.mayStillRead(holder.user, topic)) continue;
      this.#hub.revoke(this, channel);
      isReduced = true;
    }
    if (isReduced) this.close('access');
  }

  #stands(): boolean {
    return this.#holder?.stands() ?? false;
  }

  #enter(holder: Holder): void {
    if (!this.#ports.admit(this, holder)) {
      this.close('crowd');
      return;
    }
    this.#isIntroduced = true;
    this.#holder = holder;
    this.#cancelToken();
    const { clock, timers } = this.#ports;
    const ask = (): void => this.#say({ type: 'ping' });
    this.#heartbeat = new Heartbeat({ clock, timers, ask, silent: () => this.close('silent') });
  }

  #leave(): void {
    this.#isOpen = false;
    this.#cancelToken();
    this.#heartbeat?.stop();
    this.#cancelCatchUp();
    this.#hub.drop(this);
  }

  /** Answers go out also while events do not, but to a client that only asks and never listens they end too. */
  #say(message: Readonly<Record<string, unknown>>): void {
    if (!this.#isOpen) return;
    if (this.#socket.bufferedAmount > 2 * maxBufferedBytes) this.close('slow');
    else this.#socket.send(JSON.stringify(message));
  }

  /** Drops events until the network has taken what waits, and tells the client to ask for what it misses. */
  #fallBehind(): void {
    this.#isBehind = true;
    this.#cancelCatchUp = this.#ports.timers.after(catchUpMs, () => this.close('slow'));
    this.#socket.send(JSON.stringify({ type: 'resync_required' }), () => {
      this.#isBehind = false;
      this.#cancelCatchUp();
    });
  }

  #hear(text: string, isBinary: boolean): void {
    if (!this.#isOpen) return;
    this.#heartbeat?.heard();
    if (isBinary) this.close('binary');
    else if (this.#floods()) this.close('flood');
    else if (this.#isIntroduced) this.#take(readClientMessage(text));
    else this.#meet(readClientMessage(text));
  }

  /** Takes the first message of a client that has shown no key yet: there is only one that it may be. */
  #meet(message: ClientMessage | string): void {
    if (typeof message === 'string' || message.type !== 'auth') this.close('token');
    else {
      this.#isIntroduced = true;
      this.#work = this.#authenticate(message.token);
    }
  }

  async #authenticate(token: string): Promise<void> {
    const holder = await this.#ports.identify(token).catch(() => 'unknown' as const);
    if (!this.#isOpen) return;
    if (holder === 'unknown') this.close('unavailable');
    else if (holder === null) this.close('token');
    else this.#enter(holder);
  }

  #take(message: ClientMessage | string): void {
    if (typeof message === 'string') this.#say({ type: 'error', detail: message });
    else if (this.#waitingMessages >= maxWaitingMessages) this.close('flood');
    else {
      this.#waitingMessages += 1;
      // One after the other: an unsubscribe must not overtake the subscribe before it, which asks the store.
      this.#work = this.#work
        .then(() => this.#follow(message))
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

  async #follow(message: ClientMessage): Promise<void> {
    if (!this.#isOpen || this.#holder === null) return;
    switch (message.type) {
      case 'pong':
        return;
      case 'auth':
        return this.#say({ type: 'error', detail: 'This connection has shown its key already.' });
      case 'unsubscribe':
        this.#hub.unsubscribe(this, message.channel);
        return this.#say({ type: 'unsubscribed', channel: message.channel });
      case 'subscribe':
        return this.#subscribe(this.#holder.user, message.channel, message.after);
    }
  }

  async #subscribe(user: User, channel: string, after: number | undefined): Promise<void> {
    const topic = await this.#resolve(user, channel);
    if (!this.#isOpen) return;
    if (typeof topic === 'string') return this.#say({ type: 'error', channel, detail: topic });
    const seq = this.#hub.subscribe(this, channel, topic);
    if (after === undefined) return this.#say({ type: 'subscribed', channel, seq });
    const { complete, messages } = this.#hub.replay(channel, topic, after);
    this.#say({ type: 'subscribed', channel, seq, complete });
    await this.#sendAll(messages);
  }

  /** Resolves when the network has taken them: the next replay must not wait beside this one. */
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
    if (named === null) return 'Unknown channel: it must be workflow:<slug> or execution:<id>.';
    const held = this.#hub.topicsOf(this);
    if (held.size >= maxChannels && !held.has(channel)) {
      return `Too many channels: a connection may have ${maxChannels}.`;
    }
    try {
      return (await this.#ports.resolveChannel(user, named.kind, named.name)) ?? notFoundDetail[named.kind];
    } catch {
      return 'The service cannot look this up now. Try again later.';
    }
  }
}
