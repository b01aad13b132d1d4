import { isArray, isObject, type Json, own, StepError, updateIdOf } from '@millrace/core';
import {
  allowedUpdates,
  BotLink,
  type BotReceiver,
  type NewUpdate,
  type ReceiverPorts,
  type ReceivingBot,
  receiveUpdates,
} from './bot-updates.ts';

/** Seconds that the platform waits for a message before it answers without one. Proxies close a longer request. */
const pollSeconds = 50;
/** Updates of one answer. All of them are stored in one transaction. Those beyond are left for the next answer. */
const updatesAtOnce = 50;
/** Milliseconds between two requests of which the first brought nothing new: a server may answer at once, forever. */
const leastPollMs = 1000;
/**
 * Milliseconds without an update after which its number means nothing: after a week, the platform continues with any
 * number, which may be lower, and it keeps no update for longer than a day.
 */
const validForMs = 6 * 24 * 3_600_000;

/** Asks the platform for the messages of one bot: it allows one receiver at a time. */
export class BotPoller implements BotReceiver {
  readonly bot: ReceivingBot;
  readonly #ports: ReceiverPorts;
  readonly #link: BotLink;
  readonly #ownWebhook: string;
  #ended: Promise<void> = Promise.resolve();
  #name: string | null = null;

  /** @param ownWebhook the address to which this service has the platform send messages in the other mode */
  constructor(ports: ReceiverPorts, bot: ReceivingBot, ownWebhook: string) {
    this.#ports = ports;
    this.bot = bot;
    this.#link = new BotLink(ports, bot);
    this.#ownWebhook = ownWebhook;
  }

  start(): void {
    this.#ended = this.#link.repeat(async () => {
      try {
        await this.#poll();
      } catch (error) {
        // Somebody else may have set its name, or its token.
        this.#name = null;
        throw error;
      }
    });
  }

  retry(): void {
    this.#link.wake();
  }

  async stop(): Promise<void> {
    this.#link.stop();
    await this.#ended;
  }

  async #poll(): Promise<void> {
    this.#name ??= await this.#link.nameOfBot();
    const { store, clock } = this.#ports;
    const { next: from, receivedAt } = await store.bots.position(this.bot.id);
    const offset = receivedAt !== null && clock.now() - receivedAt > validForMs ? 0 : from;
    const parameters = {
      ...(offset > 0 && { offset }),
      limit: updatesAtOnce,
      timeout: pollSeconds,
      allowed_updates: allowedUpdates,
    };
    // Before the first message, it is known that the bot works.
    const { isProven } = this.#link;
    const began = clock.monotonic();
    const answer = await this.#updates(isProven ? parameters : { ...parameters, timeout: 0 });
    await this.#link.note(null);
    const updates = newIn(answer, offset);
    // The updates are confirmed by the next request, so a crash before they are stored loses none of them.
    if (updates.length > 0) {
      const next = Math.max(offset, ...updates.map(({ updateId }) => updateId + 1));
      await receiveUpdates(this.#ports, this.bot, { updates, position: { from, next, name: this.#name } });
    } else if (isProven) await this.#link.sleep(began + leastPollMs - clock.monotonic());
  }

  /** The platform rejects requests for updates while the bot has a webhook, also one of this service. */
  async #updates(parameters: Parameters<BotLink['call']>[1]): Promise<Json> {
    try {
      return await this.#link.call('getUpdates', parameters);
    } catch (error) {
      if (!(error instanceof StepError && error.code === 'chat_bot_api') || !(await this.#hasOwnWebhook())) throw error;
      await this.#link.call('deleteWebhook', {});
      return await this.#link.call('getUpdates', parameters);
    }
  }

  /** Only the webhook of this service may be deleted: another program would lose its messages. */
  async #hasOwnWebhook(): Promise<boolean> {
    const info = await this.#link.call('getWebhookInfo', {}).catch(() => null);
    return isObject(info) && own(info, 'url') === this.#ownWebhook;
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
