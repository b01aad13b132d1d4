import { botMessages, type Instant, maxBotText, StepError } from '@millrace/core';
import type { Logger } from 'pino';
import type { CancelTimer, Clock, Timers } from '../../ground/clock.ts';
import type { BotReply } from '../../store/bots.ts';
import type { Store } from '../../store/store.ts';
import { type BotCallPorts, callBot } from './bot-calls.ts';

/** The dependencies of the sender of answers. */
export interface ReplyPorts extends BotCallPorts {
  readonly store: Pick<Store, 'bots' | 'subscribe'>;
  readonly clock: Clock;
  readonly timers: Pick<Timers, 'after'>;
  readonly log: Pick<Logger, 'warn'>;
}

/** Answers that are sent in one round, those of different chats at the same time. */
const repliesAtOnce = 20;
/** Milliseconds after which a request without an answer is given up. */
const sendLimitMs = 30_000;
/** Milliseconds before a retry, if the store could not be read or written. */
const retryMs = 1000;
/** Milliseconds before the first retry of an answer; each failure doubles them. */
const firstDelayMs = 1000;
const maxDelayMs = 600_000;
/** Failures in a row after which an answer is not sent any more: about two hours. */
const maxFailures = 20;

/**
 * Sends the answers of executions to the chats of bots. What is to be sent is stored with the end of the execution, and
 * removed when it was sent, so a crash loses no answer. One that was being sent at that moment is sent again.
 */
export class BotReplies {
  readonly #ports: ReplyPorts;
  readonly #stopping = new AbortController();
  #unsubscribe: () => void = () => undefined;
  #cancelTimer: CancelTimer = () => undefined;
  #round: Promise<void> | null = null;
  #mustLookAgain = false;

  constructor(ports: ReplyPorts) {
    this.#ports = ports;
  }

  start(): void {
    this.#unsubscribe = this.#ports.store.subscribe({ botRepliesDue: () => this.#look() });
    this.#look();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#unsubscribe();
    this.#cancelTimer();
    await this.#round;
  }

  #look(): void {
    if (this.#stopping.signal.aborted) return;
    this.#mustLookAgain = this.#round !== null;
    if (this.#round !== null) return;
    this.#cancelTimer();
    this.#round = this.#sendDue().then((nextAt) => {
      this.#round = null;
      if (this.#stopping.signal.aborted) return;
      if (this.#mustLookAgain) this.#look();
      else if (nextAt !== null) this.#wakeAt(nextAt);
    });
  }

  #wakeAt(at: Instant): void {
    // At least a millisecond, as a timer may fire a little early.
    const ms = Math.min(maxDelayMs, Math.max(1, Math.ceil(at - this.#ports.clock.now())));
    this.#cancelTimer = this.#ports.timers.after(ms, () => this.#look());
  }

  /** Sends what is due; returns when the next answer is. */
  async #sendDue(): Promise<Instant | null> {
    const { store, clock, log } = this.#ports;
    try {
      while (!this.#stopping.signal.aborted) {
        const due = await store.bots.dueReplies({ now: clock.now(), limit: repliesAtOnce });
        if (due.length === 0) return await store.bots.nextReplyAt();
        const chats = Map.groupBy(due, ({ credentialId, chatId }) => `${credentialId} ${chatId}`);
        await Promise.all([...chats.values()].map((replies) => this.#sendInOrder(replies)));
      }
      return null;
    } catch (error) {
      log.warn({ err: error }, 'answers for chats could not be read or stored; trying again');
      return clock.now() + retryMs;
    }
  }

  async #sendInOrder(replies: readonly BotReply[]): Promise<void> {
    for (const reply of replies) {
      if (this.#stopping.signal.aborted || !(await this.#send(reply))) return;
    }
  }

  /** False if it is to be sent later: then the ones after it wait as well. */
  async #send(reply: BotReply): Promise<boolean> {
    const { store, clock, log } = this.#ports;
    const { id, chatId, messageId: replyTo, executionId } = reply;
    const parts = botMessages({ chatId, text: reply.answer.slice(0, maxBotText), format: 'markdown', replyTo });
    let sent = reply.sent;
    try {
      for (const parameters of parts.slice(sent)) {
        await this.#call(reply.credentialId, parameters);
        sent += 1;
        if (sent < parts.length) await store.bots.setReply({ id, sent, failures: 0, dueAt: clock.now() });
      }
      await store.bots.removeReply(id);
      return true;
    } catch (error) {
      if (this.#stopping.signal.aborted) return false;
      const failures = sent > reply.sent ? 1 : reply.failures + 1;
      const isFinal = !(error instanceof StepError) ? false : !error.retryable || failures > maxFailures;
      if (isFinal) {
        log.warn({ err: error, executionId }, 'the answer of an execution could not be sent to its chat');
        await store.bots.removeReply(id);
        return true;
      }
      const delay = Math.min(maxDelayMs, firstDelayMs * 2 ** (failures - 1));
      const wait = error instanceof StepError ? Math.max(delay, error.retryAfterMs) : delay;
      await store.bots.setReply({ id, sent, failures, dueAt: clock.now() + wait });
      return false;
    }
  }

  async #call(credentialId: number, parameters: ReturnType<typeof botMessages>[number]): Promise<void> {
    const lost = new AbortController();
    const cancel = this.#ports.timers.after(sendLimitMs, () => lost.abort());
    try {
      const signal = AbortSignal.any([this.#stopping.signal, lost.signal]);
      await callBot(this.#ports, { credentialId, method: 'sendMessage', parameters }, signal);
    } finally {
      cancel();
    }
  }
}
