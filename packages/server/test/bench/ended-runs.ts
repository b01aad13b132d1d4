import { WebSocket } from 'ws';
import { testKey } from '../durable/service-process.ts';

/** The ends of the runs of a workflow, as a client of its live events counts them. */
export class EndedRuns {
  readonly #socket: WebSocket;
  #left = 0;
  #wake: () => void = () => undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => this.#take(String(data)));
  }

  static async subscribe(url: string, slug: string): Promise<EndedRuns> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/?token=${testKey}`);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const subscribed = new Promise((resolve) => socket.once('message', resolve));
    socket.send(JSON.stringify({ type: 'subscribe', channel: `workflow:${slug}` }));
    await subscribed;
    return new EndedRuns(socket);
  }

  /** Resolves when so many more runs have ended. */
  next(count: number): Promise<void> {
    this.#left = count;
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  close(): void {
    this.#socket.close();
  }

  #take(text: string): void {
    if (text.includes('"execution_failed"')) throw new Error(text);
    if (!text.includes('"execution_completed"')) return;
    this.#left -= 1;
    if (this.#left === 0) this.#wake();
  }
}
