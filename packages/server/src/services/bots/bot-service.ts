import { type IncomingMessage, StepError } from '@millrace/core';
import { BotPoller, type PolledBot, type PollerPorts } from './bot-poller.ts';
import { BotReplies, type ReplyPorts } from './bot-replies.ts';
import { candidatesOf, runOf, triggerFor } from './bot-runs.ts';

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
}

interface BotServicePorts extends PollerPorts, Omit<ReplyPorts, 'log'> {
  readonly store: PollerPorts['store'] & ReplyPorts['store'];
}

export function createBotService(ports: BotServicePorts): BotService {
  const pollers = new BotPollers(ports);
  const replies = new BotReplies(ports);
  return {
    start() {
      pollers.start();
      replies.start();
    },
    async stop() {
      await Promise.all([pollers.stop(), replies.stop()]);
    },
    async receive(credentialId, message) {
      const found = triggerFor(await candidatesOf(ports, [credentialId]), message);
      if (found === null) return false;
      await ports.acceptance.accept({ ...(await runOf(ports, found, message)), idempotency: null });
      return true;
    },
  };
}

/** Milliseconds before a retry, if the store could not be read. */
const retryMs = 5000;

/** One poller for each bot that has an active trigger. */
class BotPollers {
  readonly #ports: BotServicePorts;
  readonly #pollers = new Map<string, BotPoller>();
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
    await Promise.all([...this.#pollers.values()].map((poller) => poller.stop()));
    this.#pollers.clear();
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

  /** Starts and stops pollers as the triggers and the credentials require. */
  async #follow(): Promise<void> {
    const wanted = await this.#wanted();
    for (const [id, poller] of this.#pollers) {
      const bot = wanted.get(id);
      if (bot !== undefined && String(bot.credentialIds) === String(poller.bot.credentialIds)) continue;
      this.#pollers.delete(id);
      await poller.stop();
      await this.#ports.store.bots.setError({ credentialIds: poller.bot.credentialIds, error: null });
    }
    for (const bot of wanted.values()) {
      const running = this.#pollers.get(bot.id);
      // Its token may be a new one.
      running?.retry();
      if (running !== undefined || this.#stopped) continue;
      const poller = new BotPoller(this.#ports, bot);
      this.#pollers.set(bot.id, poller);
      poller.start();
    }
  }

  async #wanted(): Promise<ReadonlyMap<string, PolledBot>> {
    const { store, bots } = this.#ports;
    const triggers = await store.bots.triggers();
    const credentialIds = new Set(triggers.map(({ credentialId }) => credentialId).filter((id) => id !== null));
    const wanted = new Map<string, PolledBot>();
    for (const credentialId of [...credentialIds].sort((a, b) => a - b)) {
      try {
        const id = await bots.idOf(credentialId);
        wanted.set(id, { id, credentialIds: [...(wanted.get(id)?.credentialIds ?? []), credentialId] });
      } catch (error) {
        // `validate/` reports a credential that is missing or of another type; its poller starts when that changes.
        if (!(error instanceof StepError)) throw error;
        await store.bots.setError({ credentialIds: [credentialId], error: 'it has no token that can be used' });
      }
    }
    return wanted;
  }
}
