import { isObject, type Json, own, Problem, textOf, textStart, updateIdOf } from '@millrace/core';
import {
  allowedUpdates,
  BotLink,
  type BotReceiver,
  type ReceiverPorts,
  type ReceivingBot,
  receiveUpdates,
} from './bot-updates.ts';

/** Messages that the platform sends at once. Each is stored before the next one, so more would wait. */
const maxConnections = 4;
/** Milliseconds between two checks of the webhook: another program may have replaced it. */
const checkMs = 300_000;
/** Milliseconds after which a failure of the platform to send is no longer reported. */
const recentMs = 600_000;
/** Attempts to store an update while other processes store updates of the same bot. */
const storeAttempts = 10;
/** Characters of the platform's reason why it could not send a message. */
const reasonLength = 200;

/** Has the platform send the messages of one bot to the service. */
export class BotWebhook implements BotReceiver {
  readonly bot: ReceivingBot;
  readonly #ports: ReceiverPorts;
  readonly #link: BotLink;
  readonly #url: string;
  #ended: Promise<void> = Promise.resolve();
  #name: string | null = null;
  #isSet = false;
  /** Settles when the updates before have been stored. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(ports: ReceiverPorts, bot: ReceivingBot, url: string) {
    this.#ports = ports;
    this.bot = bot;
    this.#link = new BotLink(ports, bot);
    this.#url = url;
  }

  start(): void {
    this.#ended = this.#link.repeat(async () => {
      this.#name ??= await this.#link.nameOfBot();
      await this.#keep();
      await this.#link.sleep(checkMs);
    });
  }

  retry(): void {
    // The token may be a new one, and with it the secret.
    this.#isSet = false;
    this.#link.wake();
  }

  async stop(): Promise<void> {
    // The webhook remains: the platform keeps the messages until the service has started again.
    this.#link.stop();
    await Promise.all([this.#ended, this.#last]);
  }

  /** Stores an update that the platform sent. @throws Problem `unavailable`: the platform sends it again later */
  async receive(update: Json): Promise<void> {
    const mine = this.#last.then(() => this.#store(update));
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  async #store(update: Json): Promise<void> {
    const updateId = updateIdOf(update);
    if (updateId === null) throw new Problem('malformed', 'The body must be an update of a bot, with its update_id.');
    const name = this.#name;
    if (name === null || this.#link.isStopped) throw notReady();
    for (let attempt = 0; attempt < storeAttempts; attempt += 1) {
      const { next: from } = await this.#ports.store.bots.position(this.bot.id);
      const position = { from, next: Math.max(from, updateId + 1), name };
      const result = await receiveUpdates(this.#ports, this.bot, { updates: [{ updateId, update }], position });
      if (result === 'received') return;
    }
    throw notReady();
  }

  /** Sets the webhook unless it is set, and stores why the platform cannot send messages to it. */
  async #keep(): Promise<void> {
    // The first time in any case: only the platform knows the secret of the webhook that it has.
    if (!this.#isSet) return this.#set();
    const info = await this.#link.call('getWebhookInfo', {});
    const known = isObject(info) ? info : {};
    if (own(known, 'url') !== this.#url) return this.#set();
    const failedAt = Number(own(known, 'last_error_date') ?? 0) * 1000;
    const hasFailed = this.#ports.clock.now() - failedAt < recentMs;
    const reason = textStart(textOf(own(known, 'last_error_message')) ?? '', reasonLength);
    await this.#link.note(
      hasFailed ? `the messaging platform could not send a message to the service: ${reason}` : null,
    );
  }

  async #set(): Promise<void> {
    const [credentialId = 0] = this.bot.credentialIds;
    await this.#link.call('setWebhook', {
      url: this.#url,
      secret_token: await this.#ports.bots.webhookSecret(credentialId),
      allowed_updates: allowedUpdates,
      max_connections: maxConnections,
    });
    this.#isSet = true;
    await this.#link.note(null);
  }
}

function notReady(): Problem {
  return new Problem('overloaded', 'The service does not receive messages of this bot yet.');
}
