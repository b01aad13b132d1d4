import { incomingMessage, isArray, isObject, type Json, own, StepError, textOf, updateIdOf } from '@millrace/core';
import type { Logger } from 'pino';
import type { Clock, Timers } from '../../ground/clock.ts';
import type { BotRun } from '../../store/bots.ts';
import { type BotCallPorts, callBot } from './bot-calls.ts';
import { type BotRunPorts, candidatesOf, runFor } from './bot-runs.ts';

/** The dependencies of a poller. */
export interface PollerPorts extends BotCallPorts, BotRunPorts {
  readonly clock: Clock;
  readonly timers: Pick<Timers, 'after'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/** Seconds that the platform waits for a message before it answers without one. Proxies close a longer request. */
const pollSeconds = 50;
/** Milliseconds after which a request without an answer is given up: its connection is lost. */
const pollLimitMs = 75_000;
/** Updates of one answer. All of them are stored in one transaction. Those beyond are left for the next answer. */
const updatesAtOnce = 50;
/** Milliseconds between two requests of which the first brought nothing new: a server may answer at once, forever. */
const leastPollMs = 1000;
/**
 * Milliseconds without an update after which its number means nothing: after a week, the platform continues with any
 * number, which may be lower, and it keeps no update for longer than a day.
 */
const validForMs = 6 * 24 * 3_600_000;
/** Milliseconds before the first retry; each failure in a row doubles them. */
const firstDelayMs = 1000;
const maxDelayMs = 60_000;

/** A bot on the platform, with the credentials that hold its token. */
export interface PolledBot {
  readonly id: string;
  /** At least one, by id. */
  readonly credentialIds: readonly number[];
}

interface Position {
  /** The next update, as it is stored. */
  readonly from: number;
  /** What was asked for; 0 for everything. */
  readonly offset: number;
  /** The name of the bot. */
  readonly name: string;
}

interface NewUpdate {
  readonly updateId: number;
  readonly update: Json;
}

/** Receives the messages of one bot until it is stopped: the platform allows one receiver at a time. */
export class BotPoller {
  readonly bot: PolledBot;
  readonly #ports: PollerPorts;
  readonly #stopping = new AbortController();
  #wake: () => void = () => undefined;
  #ended: Promise<void> = Promise.resolve();
  #name: string | null = null;
  #failures = 0;
  /** The reason that is stored; undefined if it is not known. */
  #error: string | null | undefined;

  constructor(ports: PollerPorts, bot: PolledBot) {
    this.#ports = ports;
    this.bot = bot;
  }

  start(): void {
    this.#ended = this.#run();
  }

  /** Makes the next attempt now, because its cause may have changed. */
  retry(): void {
    this.#wake();
  }

  /** Resolves when nothing more is stored. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#poll();
        this.#failures = 0;
      } catch (error) {
        if (!signal.aborted) await this.#failed(error);
      }
    }
  }

  async #poll(): Promise<void> {
    this.#name ??= await this.#nameOfBot();
    const { store, clock } = this.#ports;
    const { next: from, receivedAt } = await store.bots.position(this.bot.id);
    const offset = receivedAt !== null && clock.now() - receivedAt > validForMs ? 0 : from;
    const parameters = {
      ...(offset > 0 && { offset }),
      limit: updatesAtOnce,
      timeout: pollSeconds,
      allowed_updates: ['message', 'channel_post'],
    };
    // Before the first message, it is known that the bot works.
    const isProven = this.#error === null;
    const began = clock.monotonic();
    const answer = await this.#call('getUpdates', isProven ? parameters : { ...parameters, timeout: 0 });
    await this.#note(null);
    const updates = newIn(answer, offset);
    if (updates.length > 0) await this.#receive(updates, { from, offset, name: this.#name });
    else if (isProven) await this.#sleep(began + leastPollMs - clock.monotonic());
  }

  async #nameOfBot(): Promise<string> {
    const me = await this.#call('getMe', {});
    return (isObject(me) ? textOf(own(me, 'username')) : null) ?? '';
  }

  /** The updates are confirmed by the next request, so a crash before they are stored loses none of them. */
  async #receive(updates: readonly NewUpdate[], { from, offset, name }: Position) {
    const ports = this.#ports;
    const next = Math.max(offset, ...updates.map(({ updateId }) => updateId + 1));
    const candidates = await candidatesOf(ports, this.bot.credentialIds);
    const runs: BotRun[] = [];
    for (const { updateId, update } of updates) {
      const message = incomingMessage(update, name);
      if (message === null) continue;
      const run = await runFor(ports, candidates, { updateId, message });
      if (run !== null) runs.push(run);
    }
    if (runs.length > 0) await ports.acceptance.checkRoom();
    await ports.store.bots.receive({ botId: this.bot.id, from, next, runs, at: ports.clock.now() });
  }

  async #call(method: string, parameters: Parameters<typeof callBot>[1]['parameters']): Promise<Json> {
    const [credentialId = 0] = this.bot.credentialIds;
    const lost = new AbortController();
    const cancel = this.#ports.timers.after(pollLimitMs, () => lost.abort());
    try {
      const signal = AbortSignal.any([this.#stopping.signal, lost.signal]);
      return await callBot(this.#ports, { credentialId, method, parameters }, signal);
    } finally {
      cancel();
    }
  }

  async #failed(error: unknown): Promise<void> {
    const { log } = this.#ports;
    log.warn({ err: error, botId: this.bot.id }, 'a bot cannot receive messages; trying again');
    this.#failures += 1;
    // Somebody else may have set its name, or its token.
    this.#name = null;
    await this.#note(sentenceOf(error)).catch(() => undefined);
    const delay = Math.min(maxDelayMs, firstDelayMs * 2 ** (this.#failures - 1));
    await this.#sleep(error instanceof StepError ? Math.max(delay, error.retryAfterMs) : delay);
  }

  /** Stores why the bot receives nothing, or that it does. */
  async #note(error: string | null): Promise<void> {
    if (this.#error === error) return;
    await this.#ports.store.bots.setError({ credentialIds: this.bot.credentialIds, error });
    this.#error = error;
    if (error === null) this.#ports.log.info({ botId: this.bot.id }, 'a bot receives messages');
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#ports.timers.after(ms, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
      if (this.#stopping.signal.aborted) this.#wake();
    });
  }
}

/** The first updates of an answer that were not received before: a server may ignore the limit and the offset. */
function newIn(answer: Json, offset: number): readonly NewUpdate[] {
  const found: NewUpdate[] = [];
  for (const update of isArray(answer) ? answer : []) {
    const updateId = updateIdOf(update);
    if (updateId !== null && updateId >= offset) found.push({ updateId, update });
    if (found.length === updatesAtOnce) break;
  }
  return found;
}

/** The end of a sentence, without secrets: messages of other errors may hold anything. */
function sentenceOf(error: unknown): string {
  if (error instanceof Error && error.name === 'AbortError') return 'the messaging platform does not answer';
  const message = error instanceof StepError ? error.message : 'the service could not read or store its messages';
  return message.charAt(0).toLowerCase() + message.slice(1).replace(/\.$/, '');
}
