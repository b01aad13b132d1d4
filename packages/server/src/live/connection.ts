import type { User } from '@millrace/core';
import type { WebSocket } from 'ws';
import type { CancelTimer, Clock, Timers } from '../clock.ts';
import { type ClientMessage, readClientMessage } from './client-message.ts';
import type { Hub, Subscriber } from './hub.ts';
import { notFoundDetail, parseChannel, type Topic } from './topic.ts';

/** How a connection may end from this side: RFC 6455's codes, with reasons for people. */
export const closings = {
  stopping: [1001, 'The service is stopping'],
  binary: [1003, 'Messages must be text'],
  token: [1008, 'Invalid or missing token'],
  flood: [1008, 'Too many messages'],
  silent: [1008, 'No answer to ping'],
  slow: [1013, 'Too slow: the connection does not take its events'],
} as const satisfies Record<string, readonly [code: number, reason: string]>;

/** What a connection reaches the world through. */
export interface ConnectionPorts {
  readonly hub: Hub;
  readonly clock: Clock;
  readonly timers: Timers;
  /** What the channel's name leads to for this user; null when they may not read it, or it does not exist. */
  readonly resolveChannel: (user: User, kind: Topic['kind'], name: string) => Promise<Topic | null>;
}

/** Who holds a connection open. */
export interface Holder {
  readonly user: User;
  /** Whether the key they came with still stands. Cheap: asked for every event. */
  stands(): boolean;
  /** The same, asked of the store: finds what another process revoked. */
  recheck(): Promise<boolean>;
}

const maxChannels = 100;
/** What a reader may be behind by; beyond it the server would keep the events that the network cannot take. */
const maxBufferedBytes = 1 << 20;
/** A person's editor sends a few in a burst; more than this is a mistake or an attack. */
const maxMessagesPerSecond = 50;
const idleMs = 30_000;
const answerMs = 10_000;

/** One client's socket: its messages, its heartbeat and its limits. */
export class Connection implements Subscriber {
  readonly user: User;
  readonly #socket: WebSocket;
  readonly #holder: Holder;
  readonly #hub: Hub;
  readonly #ports: ConnectionPorts;
  #work: Promise<void> = Promise.resolve();
  #heardAt: number;
  #second = 0;
  #messagesInSecond = 0;
  #cancelTimer: CancelTimer = () => undefined;
  #isOpen = true;

  constructor(socket: WebSocket, holder: Holder, ports: ConnectionPorts) {
    this.user = holder.user;
    this.#socket = socket;
    this.#holder = holder;
    this.#hub = ports.hub;
    this.#ports = ports;
    this.#heardAt = ports.clock.monotonic();
    socket.on('message', (data, isBinary) => this.#hear(String(data), isBinary));
    socket.on('close', () => this.#leave());
    this.#cancelTimer = ports.timers.after(idleMs, () => this.#beat());
  }

  deliver(message: Buffer): void {
    if (!this.#isOpen) return;
    if (!this.#holder.stands()) this.close('token');
    else if (this.#socket.bufferedAmount > maxBufferedBytes) this.close('slow');
    else this.#socket.send(message, { binary: false });
  }

  revoked(channel: string, detail: string): void {
    this.#say({ type: 'error', channel, detail });
  }

  close(why: keyof typeof closings): void {
    if (!this.#isOpen) return;
    this.#leave();
    const [code, reason] = closings[why];
    this.#socket.close(code, reason);
  }

  #leave(): void {
    this.#isOpen = false;
    this.#cancelTimer();
    this.#hub.drop(this);
  }

  #say(message: Readonly<Record<string, unknown>>): void {
    this.deliver(Buffer.from(JSON.stringify(message)));
  }

  #hear(text: string, isBinary: boolean): void {
    if (!this.#isOpen) return;
    this.#heardAt = this.#ports.clock.monotonic();
    if (isBinary) this.close('binary');
    else if (this.#floods()) this.close('flood');
    else this.#take(readClientMessage(text));
  }

  #take(message: ClientMessage | string): void {
    if (typeof message === 'string') this.#say({ type: 'error', detail: message });
    // One after the other: an unsubscribe must not overtake the subscribe before it, which asks the store.
    else this.#work = this.#work.then(() => this.#follow(message));
  }

  #floods(): boolean {
    const second = Math.floor(this.#heardAt / 1000);
    this.#messagesInSecond = second === this.#second ? this.#messagesInSecond + 1 : 1;
    this.#second = second;
    return this.#messagesInSecond > maxMessagesPerSecond;
  }

  async #follow(message: ClientMessage): Promise<void> {
    if (!this.#isOpen || message.type === 'pong') return;
    const { channel } = message;
    if (message.type === 'unsubscribe') {
      this.#hub.unsubscribe(this, channel);
      this.#say({ type: 'unsubscribed', channel });
      return;
    }
    const found = await this.#resolve(channel);
    if (!this.#isOpen) return;
    if (typeof found === 'string') {
      this.#say({ type: 'error', channel, detail: found });
      return;
    }
    this.#say({ type: 'subscribed', channel });
    this.#hub.subscribe(this, channel, found);
  }

  async #resolve(channel: string): Promise<Topic | string> {
    const named = parseChannel(channel);
    if (named === null) return 'Unknown channel: it must be workflow:<slug> or execution:<id>.';
    const held = this.#hub.channelsOf(this);
    if (held.length >= maxChannels && !held.includes(channel)) {
      return `Too many channels: a connection may have ${maxChannels}.`;
    }
    try {
      return (await this.#ports.resolveChannel(this.user, named.kind, named.name)) ?? notFoundDetail[named.kind];
    } catch {
      return 'The service cannot look this up now. Try again later.';
    }
  }

  #beat(): void {
    this.#holder.recheck().then(
      (stands) => {
        if (!stands) this.close('token');
      },
      // The store cannot say now; the next beat asks again.
      () => undefined,
    );
    const idle = this.#ports.clock.monotonic() - this.#heardAt;
    if (idle < idleMs) {
      this.#cancelTimer = this.#ports.timers.after(idleMs - idle, () => this.#beat());
      return;
    }
    this.#say({ type: 'ping' });
    if (!this.#isOpen) return;
    const askedAt = this.#ports.clock.monotonic();
    this.#cancelTimer = this.#ports.timers.after(answerMs, () => {
      if (this.#heardAt < askedAt) this.close('silent');
      else this.#cancelTimer = this.#ports.timers.after(idleMs - answerMs, () => this.#beat());
    });
  }
}
