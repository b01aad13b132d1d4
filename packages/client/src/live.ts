/** An event of a channel. `seq` increases with each event of a workflow. */
export interface LiveMessage {
  readonly type: string;
  readonly channel: string;
  readonly seq: number;
  /** Unix seconds. */
  readonly timestamp: number;
  /** For a change of a node or an edge: the version of the workflow that the change created. */
  readonly version?: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Receives the events of one channel. */
interface Subscriber {
  event(message: LiveMessage): void;
  /** Some events are lost, or the subscription has just begun: the subscriber must read the current state again. */
  gap(): void;
  /** The channel does not exist or may not be read any more. */
  rejected(detail: string): void;
}

/** Whether events arrive. `retryAt` is the time of the next attempt in milliseconds of the clock. */
type LiveState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open' }
  | { readonly kind: 'paused'; readonly retryAt: number };

/** What the connection needs from its environment. */
interface LivePorts {
  readonly open: () => Socket;
  /** Milliseconds. */
  readonly now: () => number;
  /** Calls `fn` after `ms` milliseconds; returns a function that cancels it. */
  readonly after: (ms: number, fn: () => void) => () => void;
  /** A number from 0 to 1. */
  readonly random: () => number;
}

/** The part of a WebSocket that is used. */
interface Socket {
  addEventListener(type: 'open' | 'close', listener: () => void, options: { signal: AbortSignal }): void;
  addEventListener(
    type: 'message',
    listener: (event: { readonly data: unknown }) => void,
    options: { signal: AbortSignal },
  ): void;
  /** 1 while messages can be sent. The service may have begun to close the socket before `close` is reported. */
  readonly readyState: number;
  send(text: string): void;
  close(): void;
}

interface Channel {
  readonly subscribers: Set<Subscriber>;
  /** Null before the first answer of the service. */
  position: { seq: number; epoch: string } | null;
}

/** The state of a socket that is open. */
const open = 1;

/** The first delay before a new attempt, and the longest: a person notices a longer pause. */
const firstDelayMs = 500;
const maxDelayMs = 15_000;
/** The server sends a ping after 30 s without messages: silence for longer means that the connection is dead. */
const silenceMs = 45_000;
/** A page that is left for another one loses its subscriptions for a moment: the next page uses the same connection. */
const unusedMs = 5000;

/**
 * One WebSocket for all channels of a page. It connects while there is a subscriber, reconnects after a failure, and
 * continues each channel after the last event that it received.
 */
export class LiveConnection {
  readonly #ports: LivePorts;
  readonly #channels = new Map<string, Channel>();
  readonly #watchers = new Set<(state: LiveState) => void>();
  #socket: Socket | null = null;
  /** Ends the listeners of the socket. */
  #listening = new AbortController();
  #isOpen = false;
  #failures = 0;
  #cancelRetry: () => void = () => undefined;
  #cancelSilence: () => void = () => undefined;
  #cancelUnused: () => void = () => undefined;
  #state: LiveState = { kind: 'connecting' };

  constructor(ports: LivePorts) {
    this.#ports = ports;
  }

  get state(): LiveState {
    return this.#state;
  }

  /** Calls `watcher` at each change of the state. Returns a function that ends it. */
  watch(watcher: (state: LiveState) => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** Returns a function that ends the subscription. */
  subscribe(name: string, subscriber: Subscriber): () => void {
    const channel = this.#channels.get(name) ?? { subscribers: new Set(), position: null };
    const isFirst = channel.subscribers.size === 0;
    this.#channels.set(name, channel);
    channel.subscribers.add(subscriber);
    this.#cancelUnused();
    if (this.#socket === null) this.#connect();
    else if (isFirst && this.#isOpen) this.#request(name, channel);
    else if (channel.position !== null) subscriber.gap();
    return () => this.#leave(name, subscriber);
  }

  /** Attempts to connect at once, for example when the network is available again. */
  retryNow(): void {
    if (this.#state.kind === 'paused') this.#connect();
  }

  #leave(name: string, subscriber: Subscriber): void {
    const channel = this.#channels.get(name);
    if (channel === undefined || !channel.subscribers.delete(subscriber) || channel.subscribers.size > 0) return;
    this.#channels.delete(name);
    if (this.#isOpen) this.#send({ type: 'unsubscribe', channel: name });
    if (this.#channels.size > 0) return;
    this.#cancelRetry();
    this.#cancelUnused();
    this.#cancelUnused = this.#ports.after(unusedMs, () => this.#drop());
  }

  #connect(): void {
    this.#cancelRetry();
    this.#become({ kind: 'connecting' });
    const socket = this.#ports.open();
    this.#socket = socket;
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    socket.addEventListener('open', () => this.#opened(), { signal });
    socket.addEventListener('message', ({ data }) => this.#receive(data), { signal });
    socket.addEventListener('close', () => this.#lost(), { signal });
  }

  #opened(): void {
    this.#isOpen = true;
    this.#failures = 0;
    this.#become({ kind: 'open' });
    this.#expectMessage();
    for (const [name, channel] of this.#channels) this.#request(name, channel);
  }

  #drop(): void {
    this.#cancelSilence();
    const socket = this.#socket;
    this.#socket = null;
    this.#isOpen = false;
    this.#listening.abort();
    socket?.close();
  }

  #lost(): void {
    this.#drop();
    if (this.#channels.size === 0) return;
    const delay = Math.min(maxDelayMs, firstDelayMs * 2 ** this.#failures);
    this.#failures += 1;
    // Many pages must not reconnect in the same moment after a restart of the service.
    const ms = Math.round(delay * (0.5 + this.#ports.random() / 2));
    this.#become({ kind: 'paused', retryAt: this.#ports.now() + ms });
    this.#cancelRetry = this.#ports.after(ms, () => this.#connect());
  }

  #expectMessage(): void {
    this.#cancelSilence();
    this.#cancelSilence = this.#ports.after(silenceMs, () => this.#lost());
  }

  #request(name: string, { position }: Channel): void {
    const after = position === null ? {} : { after: position.seq, epoch: position.epoch };
    this.#send({ type: 'subscribe', channel: name, ...after });
  }

  #receive(data: unknown): void {
    this.#expectMessage();
    const message = JSON.parse(String(data)) as Incoming;
    if (message.type === 'ping') this.#send({ type: 'pong' });
    else if (message.type === 'resync_required') {
      for (const [name, channel] of this.#channels) this.#request(name, channel);
    } else if (message.channel !== undefined) this.#receiveIn(message.channel, message);
  }

  #receiveIn(name: string, message: Incoming): void {
    const channel = this.#channels.get(name);
    if (channel === undefined) return;
    if (message.type === 'subscribed') this.#subscribed(channel, message);
    else if (message.type === 'error') {
      for (const subscriber of channel.subscribers) subscriber.rejected(message.detail ?? '');
    } else if (message.type !== 'unsubscribed') {
      const { seq } = message as LiveMessage;
      if (channel.position !== null && seq > channel.position.seq) channel.position.seq = seq;
      for (const subscriber of channel.subscribers) subscriber.event(message as LiveMessage);
    }
  }

  #subscribed(channel: Channel, { seq = 0, epoch = '', complete }: Incoming): void {
    // If it is complete, the missed events follow, and the position moves with them.
    if (complete === true) return;
    channel.position = { seq, epoch };
    for (const subscriber of channel.subscribers) subscriber.gap();
  }

  #send(message: Readonly<Record<string, unknown>>): void {
    if (this.#socket?.readyState === open) this.#socket.send(JSON.stringify(message));
  }

  #become(state: LiveState): void {
    this.#state = state;
    for (const watcher of this.#watchers) watcher(state);
  }
}

/** A message from the server: the answer to a request, or an event. */
interface Incoming extends Partial<LiveMessage> {
  readonly detail?: string;
  readonly epoch?: string;
  readonly complete?: boolean;
}
