import type { AccessChange, Instant, Problem, Published } from '@millrace/core';
import type { KeyStore, UserStore } from './accounts.ts';
import type { BotStore } from './bots.ts';
import type { ChatStore } from './chats.ts';
import type { CollaboratorStore } from './collaborators.ts';
import type { CredentialStore, SecretKeyStore } from './credentials.ts';
import type { ExecutionStore } from './executions.ts';
import type { GraphStore } from './graphs.ts';
import type { MemoryStore } from './memory.ts';
import type { RecordingStore } from './recordings.ts';
import type { RetentionStore } from './retention.ts';
import type { ScheduleStore } from './schedules.ts';
import type { StateStore } from './state.ts';
import type { UsageStore } from './usage.ts';
import type { VariableStore } from './variables.ts';
import type { WaitStore } from './waits.ts';
import type { WorkflowTextStore } from './workflow-texts.ts';
import type { TrashStore, WorkflowStore } from './workflows.ts';

/**
 * The persistent state of the service, in domain terms: no driver, transaction or SQL shows through the interface.
 * Every method that changes something resolves after the change is committed to disk (fsynced), and its events are
 * published to subscribers right after that, in commit order. A method rejects with Problem `store_unavailable` if the
 * database cannot write (a full disk); nothing of that call is stored then, and a later call may succeed. Claiming and
 * renewing resolve slightly before they are on disk: everything that follows from them is written to disk after them.
 */
export interface Store {
  readonly users: UserStore;
  readonly keys: KeyStore;
  readonly workflows: WorkflowStore;
  readonly collaborators: CollaboratorStore;
  readonly trash: TrashStore;
  readonly graphs: GraphStore;
  readonly workflowTexts: WorkflowTextStore;
  readonly executions: ExecutionStore;
  readonly schedules: ScheduleStore;
  readonly waits: WaitStore;
  readonly chats: ChatStore;
  readonly bots: BotStore;
  readonly credentials: CredentialStore;
  readonly secretKeys: SecretKeyStore;
  readonly variables: VariableStore;
  readonly state: StateStore;
  readonly memory: MemoryStore;
  readonly usage: UsageStore;
  readonly recordings: RecordingStore;
  readonly retention: RetentionStore;
  /** Returns the function that ends the subscription. */
  subscribe(subscriber: StoreSubscriber): () => void;
  /** Checks whether another process has changed the store since the last call; if so, notifies subscribers. Cheap. */
  detectExternalChanges(): Promise<void>;
  /** False from the moment when nothing more can be stored until the service is restarted. */
  readonly isWritable: boolean;
  /** The reason why nothing new should be accepted at the moment, although it could be stored; null if there is none. */
  readonly backlog: Problem | null;
  /** Resolves if the database answers reads and accepts writes; rejects with Problem `store_unavailable` otherwise. */
  ping(): Promise<void>;
  /** Writes what is queued, then closes. */
  close(): Promise<void>;
}

/** Called after a commit, in commit order; must not throw. */
export interface StoreSubscriber {
  /** Called before the events of the same commit. */
  accessChanged?(changes: readonly AccessChange[]): void;
  published?(events: readonly Published[]): void;
  /** Runs may be claimable: newly accepted, released, or recovered. */
  pending?(): void;
  cancelRequested?(executionIds: readonly string[]): void;
  /** Waits of running runs have answers. */
  answered?(executionIds: readonly string[]): void;
  /** Waits were stored; the earliest is due at this time. */
  waitsUntil?(at: Instant): void;
  /** The times of schedules may have changed. */
  schedulesChanged?(): void;
  /** The triggers of bots, or their credentials, may have changed. */
  botsChanged?(): void;
  /** Answers for the chats of bots are to be sent. */
  botRepliesDue?(): void;
}
