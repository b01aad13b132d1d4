import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { type ClientOptions, WebSocket } from 'ws';

/** A message from the server. */
export type Message = Readonly<Record<string, unknown>>;

/** A client of the live events, for the current test. */
export class Socket {
  readonly #socket: WebSocket;
  readonly #inbox: Message[] = [];
  readonly #ended: Promise<[code: number, reason: string]>;
  #wake: () => void = () => undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => {
      this.#inbox.push(JSON.parse(String(data)) as Message);
      this.#wake();
    });
    this.#ended = new Promise((resolve) => socket.on('close', (code, reason) => resolve([code, String(reason)])));
  }

  /** Rejects with the status if the server rejects the handshake. */
  static async open(url: string, options: ClientOptions = {}): Promise<Socket> {
    const socket = new WebSocket(url, options);
    onTestFinished(() => socket.terminate());
    const opened = new Socket(socket);
    await once(socket, 'open');
    return opened;
  }

  say(message: Message): void {
    this.#socket.send(JSON.stringify(message));
  }

  close(): void {
    this.#socket.close();
  }

  /** Sends bytes that are not a valid frame, bypassing the client, which would not send them. */
  sendGarbage(): void {
    Reflect.get(this.#socket, '_socket').write(Buffer.alloc(64, 0xff));
  }

  async subscribe(channel: string): Promise<Message> {
    this.say({ type: 'subscribe', channel });
    return this.receive();
  }

  /** The next message. */
  async receive(): Promise<Message> {
    for (;;) {
      const message = this.#inbox.shift();
      if (message !== undefined) return message;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** All messages up to and including the first of this type. */
  async receiveUntil(type: string): Promise<Message[]> {
    const received = [await this.receive()];
    while (received.at(-1)?.type !== type) received.push(await this.receive());
    return received;
  }

  /** The close code and reason, once the connection has ended. */
  get ended(): Promise<[code: number, reason: string]> {
    return this.#ended;
  }
}
