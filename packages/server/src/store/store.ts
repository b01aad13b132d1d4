import type { AccessChange, Instant, Published } from '@millrace/core';
import type { KeyStore, UserStore } from './accounts.ts';
import type { ChatStore } from './chats.ts';
import type { CollaboratorStore } from './collaborators.ts';
import type { CredentialStore, SecretKeyStore } from './credentials.ts';
import type { ExecutionStore } from './executions.ts';
import type { GraphStore } from './graphs.ts';
import type { RetentionStore } from './retention.ts';
import type { ScheduleStore } from './schedules.ts';
import type { VariableStore } from './variables.ts';
import type { WaitStore } from './waits.ts';
import type { TrashStore, WorkflowStore } from './workflows.ts';

/**
 * What the service keeps, in the words of its domain. Nothing of a driver, a transaction or SQL shows through.
 * Every method that changes something resolves after the change is on disk (fsynced), and its events are told
 * to subscribers right after that, in commit order. A method rejects with Problem `store_unavailable` when the
 * database cannot write (a full disk); nothing of that call is stored then, and a later call may succeed. Claiming
 * and renewing resolve a moment before the disk has them: whatever follows from them comes to the disk after them.
 */
export interface Store {
  readonly users: UserStore;
  readonly keys: KeyStore;
  readonly workflows: WorkflowStore;
  readonly collaborators: CollaboratorStore;
  readonly trash: TrashStore;
  readonly graphs: GraphStore;
  readonly executions: ExecutionStore;
  readonly schedules: ScheduleStore;
  readonly waits: WaitStore;
  readonly chats: ChatStore;
  readonly credentials: CredentialStore;
  readonly secretKeys: SecretKeyStore;
  readonly variables: VariableStore;
  readonly retention: RetentionStore;
  /** Returns the function that ends the subscription. */
  subscribe(subscriber: StoreSubscriber): () => void;
  /** Asks whether another process has changed the store since the last time; if so, tells subscribers. Cheap. */
  noticeOthers(): Promise<void>;
  /** Resolves when the database answers a read; rejects with Problem `store_unavailable` otherwise. */
  ping(): Promise<void>;
  /** Writes what is queued, then closes. */
  close(): Promise<void>;
}

/** Called after a commit, in commit order; must not throw. */
export interface StoreSubscriber {
  /** Told before the events of the same commit. */
  accessChanged?(changes: readonly AccessChange[]): void;
  published?(events: readonly Published[]): void;
  /** Runs may be claimable: newly accepted, released, or recovered. */
  pending?(): void;
  cancelRequested?(executionIds: readonly string[]): void;
  /** Running runs have answers to waits of theirs. */
  answered?(executionIds: readonly string[]): void;
  /** Waits were stored, the earliest of which falls due then. */
  waitsUntil?(at: Instant): void;
  /** Schedules may have other times than before. */
  schedulesChanged?(): void;
}
