import { incomingMessage, isObject, type Json, own, StepError, textOf } from '@millrace/core';
import type { Logger } from 'pino';
import type { Clock, Timers } from '../../ground/clock.ts';
import type { BotRun } from '../../store/bots.ts';
import { type BotCallPorts, callBot } from './bot-calls.ts';
import { type BotRunPorts, candidatesOf, runFor } from './bot-runs.ts';

/** The dependencies of what receives the messages of a bot. */
export interface ReceiverPorts extends BotCallPorts, BotRunPorts {
  readonly clock: Clock;
  readonly timers: Pick<Timers, 'after'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/** A bot on the platform, with the credentials that hold its token. */
export interface ReceivingBot {
  readonly id: string;
  /** At least one, by id. */
  readonly credentialIds: readonly number[];
  /** Whether the platform sends its messages to the service. */
  readonly hasWebhook: boolean;
}

/** Receives the messages of one bot until it is stopped. */
export interface BotReceiver {
  readonly bot: ReceivingBot;
  start(): void;
  /** Makes the next attempt now, because its cause may have changed. */
  retry(): void;
  /** Resolves when nothing more is stored. */
  stop(): Promise<void>;
}

/** The kinds of updates that the platform is asked for. */
export const allowedUpdates = ['message', 'channel_post'] as const;

export interface NewUpdate {
  readonly updateId: number;
  readonly update: Json;
}

interface Position {
  /** The next update, as it is stored. */
  readonly from: number;
  /** The next update after these. */
  readonly next: number;
  /** The name of the bot. */
  readonly name: string;
}

/** Stores the runs that updates start, in one transaction. */
export async function receiveUpdates(
  ports: ReceiverPorts,
  bot: ReceivingBot,
  { updates, position: { from, next, name } }: { readonly updates: readonly NewUpdate[]; readonly position: Position },
): Promise<'received' | 'lost'> {
  const candidates = await candidatesOf(ports, bot.credentialIds);
  const runs: BotRun[] = [];
  for (const { updateId, update } of updates) {
    const message = incomingMessage(update, name);
    if (message === null) continue;
    const run = await runFor(ports, candidates, { updateId, message });
    if (run !== null) runs.push(run);
  }
  if (runs.length > 0) await ports.acceptance.checkRoom();
  return ports.store.bots.receive({ botId: bot.id, from, next, runs, at: ports.clock.now() });
}

/** Milliseconds after which a request without an answer is given up: its connection is lost. */
const callLimitMs = 75_000;
/** Milliseconds before the first retry; each failure in a row doubles them. */
const firstDelayMs = 1000;
const maxDelayMs = 60_000;

/** The calls of a receiver, and its pauses, until it is stopped. */
export class BotLink {
  readonly #ports: ReceiverPorts;
  readonly #bot: ReceivingBot;
  readonly #stopping = new AbortController();
  #wake: () => void = () => undefined;
  #failures = 0;
  /** The reason that is stored; undefined if it is not known. */
  #error: string | null | undefined;

  constructor(ports: ReceiverPorts, bot: ReceivingBot) {
    this.#ports = ports;
    this.#bot = bot;
  }

  get isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Whether the last call has succeeded. */
  get isProven(): boolean {
    return this.#error === null;
  }

  /** Repeats an action until the receiver is stopped, with a pause after each failure. */
  async repeat(act: () => Promise<void>): Promise<void> {
    while (!this.isStopped) {
      try {
        await act();
        this.#failures = 0;
      } catch (error) {
        if (!this.isStopped) await this.#failed(error);
      }
    }
  }

  /** Ends a pause. */
  wake(): void {
    this.#wake();
  }

  stop(): void {
    this.#stopping.abort();
    this.#wake();
  }

  async call(method: string, parameters: Parameters<typeof callBot>[1]['parameters']): Promise<Json> {
    const [credentialId = 0] = this.#bot.credentialIds;
    const lost = new AbortController();
    const cancel = this.#ports.timers.after(callLimitMs, () => lost.abort());
    try {
      const signal = AbortSignal.any([this.#stopping.signal, lost.signal]);
      return await callBot(this.#ports, { credentialId, method, parameters }, signal);
    } finally {
      cancel();
    }
  }

  async nameOfBot(): Promise<string> {
    const me = await this.call('getMe', {});
    return (isObject(me) ? textOf(own(me, 'username')) : null) ?? '';
  }

  /** Stores why the bot receives nothing, or that it does. */
  async note(error: string | null): Promise<void> {
    if (this.#error === error) return;
    await this.#ports.store.bots.setError({ credentialIds: this.#bot.credentialIds, error });
    this.#error = error;
    if (error === null) this.#ports.log.info({ botId: this.#bot.id }, 'a bot receives messages');
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#ports.timers.after(ms, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
      if (this.isStopped) this.#wake();
    });
  }

  async #failed(error: unknown): Promise<void> {
    this.#ports.log.warn({ err: error, botId: this.#bot.id }, 'a bot cannot receive messages; trying again');
    this.#failures += 1;
    await this.note(sentenceOf(error)).catch(() => undefined);
    const delay = Math.min(maxDelayMs, firstDelayMs * 2 ** (this.#failures - 1));
    await this.sleep(error instanceof StepError ? Math.max(delay, error.retryAfterMs) : delay);
  }
}

/** The end of a sentence, without secrets: messages of other errors may hold anything. */
function sentenceOf(error: unknown): string {
  if (error instanceof Error && error.name === 'AbortError') return 'the messaging platform does not answer';
  const message = error instanceof StepError ? error.message : 'the service could not read or store its messages';
  return message.charAt(0).toLowerCase() + message.slice(1).replace(/\.$/, '');
}
