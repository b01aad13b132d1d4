import { Readable } from 'node:stream';
import type { CancelTimer, Timers } from '../../ground/clock.ts';

/** Proxies close a connection that sends nothing for a minute; some do so after half of that. */
const keepAliveMs = 15_000;
/** Bytes that wait for a slow reader: beyond them its stream ends. */
const maxUnreadEventBytes = 1 << 20;
/** The same for text that is ephemeral: it is dropped, because the answer contains it. */
const maxUnreadTextBytes = 65_536;

/** Server-sent events: the body of a response that ends with its last event. */
export class EventStream {
  readonly body: Readable;
  readonly #timers: Pick<Timers, 'after'>;
  #cancelKeepAlive: CancelTimer = () => undefined;
  #isOpen = true;

  /** @param onEnd called once, when the last event was sent or the client has left */
  constructor(timers: Pick<Timers, 'after'>, onEnd: () => void) {
    this.#timers = timers;
    this.body = new Readable({ read: () => undefined });
    this.body.once('close', () => {
      this.#isOpen = false;
      this.#cancelKeepAlive();
      onEnd();
    });
    this.#keepAlive();
  }

  send(event: string, data: object, isEphemeral = false): void {
    if (!this.#isOpen) return;
    const unread = this.body.readableLength;
    if (isEphemeral && unread > maxUnreadTextBytes) return;
    // JSON has no line breaks, so an event has one line of data.
    if (unread > maxUnreadEventBytes) this.body.destroy();
    else this.#push(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Sends the last event. */
  end(event: string, data: object): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#push(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    this.body.push(null);
  }

  /** Ends a stream whose response will not be sent. */
  discard(): void {
    this.body.destroy();
  }

  #push(text: string): void {
    this.body.push(Buffer.from(text));
  }

  #keepAlive(): void {
    this.#cancelKeepAlive = this.#timers.after(keepAliveMs, () => {
      if (!this.#isOpen) return;
      this.#push(': keep-alive\n\n');
      this.#keepAlive();
    });
  }
}

/** Whether a client asks for events: only if it names their type. */
export function asksForEvents(accept: string | undefined): boolean {
  return accept !== undefined && /\btext\/event-stream\b/i.test(accept);
}
