import { type IncomingMessage, type Json, StepError } from '@millrace/core';
import { BotPoller } from './bot-poller.ts';
import { BotReplies, type ReplyPorts } from './bot-replies.ts';
import { candidatesOf, runOf, triggerFor } from './bot-runs.ts';
import type { BotReceiver, ReceiverPorts, ReceivingBot } from './bot-updates.ts';
import { BotWebhook } from './bot-webhook.ts';

/** Receives the messages of bots, and sends the answers. */
export interface BotService {
  start(): void;
  /** Resolves when nothing more is received, sent or stored. */
  stop(): Promise<void>;
  /**
   * Starts the execution of a message that comes from elsewhere, whose answer is not sent. False if no trigger of the bot
   * matches it. @throws Problem if the workflow rejects the message
   */
  receive(credentialId: number, message: IncomingMessage): Promise<boolean>;
  /**
   * Stores an update that the platform sent to the webhook of a bot. False without the secret of a bot that has one.
   * @throws Problem `malformed`; `overloaded` if it is to be sent again later
   */
  deliver(botId: string, secret: string, update: () => Promise<Json>): Promise<boolean>;
}

interface BotServicePorts extends ReceiverPorts, Omit<ReplyPorts, 'log'> {
  readonly store: ReceiverPorts['store'] & ReplyPorts['store'];
  /** The public address of this service, without a trailing slash. */
  readonly baseUrl: () => string;
}

export function createBotService(ports: BotServicePorts): BotService {
  const receivers = new BotReceivers(ports);
  const replies = new BotReplies(ports);
  return {
    start() {
      receivers.start();
      replies.start();
    },
    async stop() {
      await Promise.all([receivers.stop(), replies.stop()]);
    },
    async receive(credentialId, message) {
      const found = triggerFor(await candidatesOf(ports, [credentialId]), message);
      if (found === null) return false;
      await ports.acceptance.accept({ ...(await runOf(ports, found, message)), idempotency: null });
      return true;
    },
    async deliver(botId, secret, update) {
      const receiver = receivers.webhookOf(botId);
      const [credentialId = null] = receiver?.bot.credentialIds ?? [];
      // Checked in any case, so that the response time does not reveal which bots exist.
      const isGenuine = await ports.bots.isWebhookSecret(credentialId, secret);
      if (receiver === null || !isGenuine) return false;
      await receiver.receive(await update());
      return true;
    },
  };
}

/** Milliseconds before a retry, if the store could not be read. */
const retryMs = 5000;

/** One receiver for each bot that has an active trigger. */
class BotReceivers {
  readonly #ports: BotServicePorts;
  readonly #receivers = new Map<string, BotReceiver>();
  #unsubscribe: () => void = () => undefined;
  #cancelTimer: () => void = () => undefined;
  #round: Promise<void> | null = null;
  #mustLookAgain = false;
  #stopped = true;

  constructor(ports: BotServicePorts) {
    this.#ports = ports;
  }

  start(): void {
    this.#stopped = false;
    this.#unsubscribe = this.#ports.store.subscribe({ botsChanged: () => this.#look() });
    this.#look();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unsubscribe();
    this.#cancelTimer();
    await this.#round;
    await Promise.all([...this.#receivers.values()].map((receiver) => receiver.stop()));
    this.#receivers.clear();
  }

  /** The receiver of a bot whose messages the platform sends; null if there is none. */
  webhookOf(botId: string): BotWebhook | null {
    const receiver = this.#receivers.get(botId);
    return receiver instanceof BotWebhook ? receiver : null;
  }

  #look(): void {
    if (this.#stopped) return;
    this.#mustLookAgain = this.#round !== null;
    if (this.#round !== null) return;
    this.#cancelTimer();
    this.#round = this.#follow()
      .catch((error: unknown) => {
        this.#ports.log.warn({ err: error }, 'the triggers of bots could not be read; trying again');
        if (!this.#stopped) this.#cancelTimer = this.#ports.timers.after(retryMs, () => this.#look());
      })
      .then(() => {
        this.#round = null;
        if (this.#mustLookAgain) this.#look();
      });
  }

  /** Starts and stops receivers as the triggers and the credentials require. */
  async #follow(): Promise<void> {
    const wanted = await this.#wanted();
    for (const [id, receiver] of this.#receivers) {
      if (isSame(wanted.get(id), receiver.bot)) continue;
      this.#receivers.delete(id);
      await receiver.stop();
      await this.#ports.store.bots.setError({ credentialIds: receiver.bot.credentialIds, error: null });
    }
    for (const bot of wanted.values()) {
      const running = this.#receivers.get(bot.id);
      // Its token may be a new one.
      running?.retry();
      if (running !== undefined || this.#stopped) continue;
      const receiver = this.#receiverOf(bot);
      this.#receivers.set(bot.id, receiver);
      receiver.start();
    }
  }

  #receiverOf(bot: ReceivingBot): BotReceiver {
    const webhook = `${this.#ports.baseUrl()}/api/v1/bots/${bot.id}/updates`;
    return bot.hasWebhook ? new BotWebhook(this.#ports, bot, webhook) : new BotPoller(this.#ports, bot, webhook);
  }

  async #wanted(): Promise<ReadonlyMap<string, ReceivingBot>> {
    const { store, bots } = this.#ports;
    const triggers = await store.bots.triggers();
    const credentialIds = [...new Set(triggers.map(({ credentialId }) => credentialId).filter((id) => id !== null))];
    const webhooks = new Set(triggers.filter(({ hasWebhook }) => hasWebhook).map(({ credentialId }) => credentialId));
    const wanted = new Map<string, ReceivingBot>();
    for (const credentialId of credentialIds.sort((a, b) => a - b)) {
      try {
        const id = await bots.idOf(credentialId);
        const { credentialIds: others = [], hasWebhook = false } = wanted.get(id) ?? {};
        wanted.set(id, {
          id,
          credentialIds: [...others, credentialId],
          hasWebhook: hasWebhook || webhooks.has(credentialId),
        });
      } catch (error) {
        // `validate/` reports a credential that is missing or of another type; its receiver starts when that changes.
        if (!(error instanceof StepError)) throw error;
        await store.bots.setError({ credentialIds: [credentialId], error: 'it has no token that can be used' });
      }
    }
    return wanted;
  }
}

function isSame(a: ReceivingBot | undefined, b: ReceivingBot): boolean {
  return a !== undefined && a.hasWebhook === b.hasWebhook && String(a.credentialIds) === String(b.credentialIds);
}
