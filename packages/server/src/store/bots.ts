import type { Instant } from '@millrace/core';
import type { NewExecution } from './executions.ts';

/** What bots have received, and the answers that they are to send. */
export interface BotStore {
  /** The triggers of bots in the version that triggers run, of active workflows only, by node. */
  triggers(): Promise<readonly BotTrigger[]>;
  /** What a bot has received so far. */
  position(botId: string): Promise<BotPosition>;
  /**
   * Starts the runs of updates and moves the next update of their bot, in one transaction. `lost` if the next update is
   * no longer `from`, because another caller has received them; nothing is stored then. An update that already has a run
   * gets no second one.
   */
  receive(params: ReceivedUpdates): Promise<'received' | 'lost'>;
  /** The reasons why bots receive nothing, by credential. Those of other credentials are left out. */
  errors(credentialIds: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** Sets or removes the reason. Ignores credentials that do not exist. */
  setError(params: { credentialIds: readonly number[]; error: string | null }): Promise<void>;
  /** Up to `limit` answers to send, the longest due first. */
  dueReplies(params: { now: Instant; limit: number }): Promise<readonly BotReply[]>;
  /** When the next answer is to be sent; null if there is none. */
  nextReplyAt(): Promise<Instant | null>;
  /** After a part was sent, or could not be sent. */
  setReply(params: { id: number; sent: number; failures: number; dueAt: Instant }): Promise<void>;
  /** An answer was sent, or never can be. */
  removeReply(id: number): Promise<void>;
}

/** A trigger of a bot. */
export interface BotTrigger {
  /** The id of the node in the store. */
  readonly id: number;
  readonly workflowId: number;
  /** Null while the node has no credential. */
  readonly credentialId: number | null;
  /** Whether the platform sends the messages to the service. */
  readonly hasWebhook: boolean;
}

/** The position of a bot in the list of its updates. */
export interface BotPosition {
  /** The first update that has not been received yet; 0 if there was none. */
  readonly next: number;
  /** When the last update was received; null if that is not known. */
  readonly receivedAt: Instant | null;
}

/** Updates of a bot, and the runs that they start. */
export interface ReceivedUpdates {
  readonly botId: string;
  /** The next update before and after them. */
  readonly from: number;
  readonly next: number;
  readonly at: Instant;
  /** In the order of their updates. */
  readonly runs: readonly BotRun[];
}

export interface BotRun {
  readonly updateId: number;
  readonly run: Omit<NewExecution, 'idempotency'>;
  /** Where its answer is sent; null for nowhere. */
  readonly reply: ReplyAddress | null;
}

/** A message in a chat of a bot. */
interface ReplyAddress {
  readonly credentialId: number;
  readonly chatId: string;
  readonly messageId: number;
}

/** An answer to send. */
export interface BotReply extends ReplyAddress {
  readonly id: number;
  readonly executionId: string;
  readonly answer: string;
  /** The parts of it that were sent. */
  readonly sent: number;
  /** Attempts that failed since then. */
  readonly failures: number;
}
