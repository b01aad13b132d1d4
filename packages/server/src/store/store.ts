import type {
  AccessChange,
  ApiKey,
  Collaborator,
  CollaboratorRole,
  Credential,
  CredentialType,
  Edge,
  Execution,
  ExecutionStatus,
  Fact,
  Graph,
  Instant,
  JournalEntry,
  JsonObject,
  KeyScope,
  Node,
  Published,
  Trigger,
  User,
  Workflow,
} from '@millrace/core';

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
  readonly credentials: CredentialStore;
  readonly secretKeys: SecretKeyStore;
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
}

/** Who may use the service. */
export interface UserStore {
  count(): Promise<number>;
  /** Null when the name is taken. */
  insert(params: NewUser): Promise<User | null>;
  /** Deleted users do not exist, here and below. */
  byId(id: number): Promise<User | null>;
  /** Whatever the case of the letters. */
  byUsername(username: string): Promise<User | null>;
  /** Newest first. */
  list(params: { limit: number; offset: number }): Promise<Page<User>>;
  /** Oldest first. */
  admins(): Promise<readonly User[]>;
  /** The user of a name and the hash of their password, which is null for who has none. */
  passwordOf(username: string): Promise<{ readonly user: User; readonly hash: string | null } | null>;
  /** A new password ends the keys that were made by logging in. The last admin stays one. */
  update(params: { id: number; changes: UserChanges; at: Instant }): Promise<User | 'missing' | 'last_admin'>;
  /** Deletes a user with their keys; their workflows and runs become the heir's. The last admin stays. */
  remove(params: { id: number; heirId: number; at: Instant }): Promise<'removed' | 'missing' | 'last_admin'>;
}

/** A user to be stored. */
export interface NewUser {
  readonly username: string;
  readonly isAdmin: boolean;
  /** Null or left out for somebody who has keys only. */
  readonly passwordHash?: string | null;
  readonly at: Instant;
}

/** What can change in a user. */
export interface UserChanges {
  readonly isAdmin?: boolean;
  readonly passwordHash?: string;
}

/** The API keys of users. */
export interface KeyStore {
  insert(params: NewApiKey): Promise<ApiKey>;
  /** The live key with this SHA-256 (hex) and its user: not revoked; `expiresAt` is the caller's to check. */
  byHash(hash: string): Promise<{ key: ApiKey; user: User } | null>;
  listOf(userId: number): Promise<readonly ApiKey[]>;
  /** False when this user has no such live key. */
  revoke(params: { userId: number; id: number; at: Instant }): Promise<boolean>;
  touch(params: { id: number; at: Instant }): Promise<void>;
  /** Whether a key with this SHA-256 (hex) was revoked: it can never be stored again. */
  wasRevoked(hash: string): Promise<boolean>;
}

/** A key to be stored; the secret itself never comes here. */
export interface NewApiKey {
  readonly userId: number;
  readonly name: string;
  /** SHA-256 of the key, hex. */
  readonly hash: string;
  readonly prefix: string;
  readonly scope: KeyScope;
  readonly expiresAt: Instant | null;
  /** Made by logging in: it ends with the password, and is forgotten once it has expired and another is made. */
  readonly byLogin?: boolean;
  readonly at: Instant;
}

/** Secrets with their configuration. The store has sealed texts only and cannot open them. */
export interface CredentialStore {
  /** `key_replaced` when the seal is not by the current key: nothing is stored, and the caller must seal by the new one. */
  insert(params: NewCredential): Promise<Credential | 'key_replaced'>;
  byId(id: number): Promise<Credential | null>;
  /** With its sealed detail, for those who can open it. */
  sealedById(id: number): Promise<SealedCredential | null>;
  /** Newest first. */
  list(params: { limit: number; offset: number }): Promise<Page<Credential>>;
  /** All of them, by id, as texts name them. Names need not be unique. */
  names(): Promise<readonly Pick<Credential, 'id' | 'name'>[]>;
  /** `stale` when it was written since `revision` was read: nothing is stored. */
  update(params: CredentialUpdate): Promise<Credential | 'stale' | 'missing' | 'key_replaced'>;
  /**
   * Removes those that exist and takes them from all nodes that use them: the versions of their workflows go up and
   * each node publishes `node_updated`. Returns the removed ids.
   */
  remove(params: { ids: readonly number[]; at: Instant }): Promise<readonly number[]>;
  /** Some of those after this id that another key than the current one has sealed, oldest first. */
  sealedByOldKeys(params: { afterId: number; limit: number }): Promise<readonly SealedCredential[]>;
  /** The same secret under another key: for no reader has anything changed. `stale` as in update. */
  reseal(params: { id: number; revision: number; sealed: string }): Promise<'stored' | 'stale' | 'key_replaced'>;
}

/** What a seal is bound to: it opens for these values alone. */
export interface SealSubject {
  readonly id: number;
  readonly name: string;
  readonly credentialType: CredentialType;
  /** The masked detail as JSON text. */
  readonly masked: string;
}

/** A credential to be stored. */
export interface NewCredential {
  readonly name: string;
  readonly credentialType: CredentialType;
  /** The masked detail as JSON text. */
  readonly masked: string;
  /** Called in the transaction with the id that the credential gets, perhaps twice. Begins with its key's id and a dot. */
  readonly seal: (subject: SealSubject) => string;
  readonly at: Instant;
}

/** A credential's new content, if nobody has written it since `revision`. */
export interface CredentialUpdate {
  readonly id: number;
  readonly revision: number;
  readonly name: string;
  /** The masked detail as JSON text. */
  readonly masked: string;
  readonly sealed: string;
  readonly at: Instant;
}

/** A credential as it lies on the disk. */
export interface SealedCredential extends SealSubject {
  readonly sealed: string;
  readonly revision: number;
}

/** Which keys seal the secrets: their ids and sealed words to know them by, never the keys. */
export interface SecretKeyStore {
  list(): Promise<readonly SecretKeyRecord[]>;
  /** Makes a key the current one; the one before stays until nothing needs it. */
  adopt(params: { id: string; checkValue: string }): Promise<void>;
  /** Forgets the keys that seal nothing any more, except the current one. Returns those that are left. */
  retire(): Promise<readonly SecretKeyRecord[]>;
}

/** A key as the store knows it. */
export interface SecretKeyRecord {
  readonly id: string;
  readonly checkValue: string;
  readonly isCurrent: boolean;
}

/** Workflows without their graphs. */
export interface WorkflowStore {
  insert(params: NewWorkflow): Promise<Workflow | 'slug_taken'>;
  /** Live workflows only, here and below: a soft-deleted one does not exist for any reader. */
  bySlug(slug: string): Promise<Workflow | null>;
  byId(id: number): Promise<Workflow | null>;
  /** Owned by the user or shared with them, newest first. */
  list(params: { visibleTo: number; limit: number; offset: number }): Promise<Page<Workflow>>;
  /** Publishes `workflow_updated`. Making one the default ends that of the owner's other. */
  update(params: { id: number; changes: WorkflowChanges; at: Instant }): Promise<Workflow | 'slug_taken' | 'missing'>;
  /** Soft-deletes; pending runs become cancelled, running ones are asked to stop. Unknown ids are ignored. */
  remove(params: { ids: readonly number[]; at: Instant }): Promise<void>;
}

/** With whom workflows are shared. */
export interface CollaboratorStore {
  /** In the order in which they came. */
  listOf(workflowId: number): Promise<readonly Collaborator[]>;
  /** Null when the user does not collaborate on the workflow; also for its owner, who is no collaborator. */
  roleOf(params: { workflowId: number; userId: number }): Promise<CollaboratorRole | null>;
  /** Null when they collaborate already. */
  insert(params: NewCollaborator): Promise<Collaborator | null>;
  /** Null when they do not collaborate. */
  update(params: { workflowId: number; userId: number; role: CollaboratorRole }): Promise<Collaborator | null>;
  /** False when they do not collaborate. */
  remove(params: { workflowId: number; userId: number }): Promise<boolean>;
}

/** Somebody with whom to share a workflow. */
export interface NewCollaborator {
  readonly workflowId: number;
  readonly userId: number;
  readonly role: CollaboratorRole;
  readonly at: Instant;
}

/** Some items of a list, and how many the whole list has. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}

/** The fields that a caller may set. */
export type WorkflowFields = Omit<
  Workflow,
  'id' | 'ownerId' | 'nodeCount' | 'edgeCount' | 'version' | 'createdAt' | 'updatedAt'
>;
/** Some of the fields that a caller may set. */
export type WorkflowChanges = Partial<WorkflowFields>;
/** A workflow to be stored. */
export interface NewWorkflow extends WorkflowFields {
  readonly ownerId: number;
  readonly at: Instant;
}

/** Workflows that were removed, with all they had. */
export interface TrashStore {
  /** The owner's, the last one removed first. */
  list(params: { ownerId: number; limit: number; offset: number }): Promise<Page<TrashedWorkflow>>;
  find(params: { ownerId: number; id: number }): Promise<TrashedWorkflow | null>;
  /**
   * Makes it live again, under the given slug. It stays the owner's default only where there is no other by now.
   * Publishes `workflow_updated`.
   */
  restore(params: { id: number; slug: string; at: Instant }): Promise<Workflow | 'slug_taken' | 'missing'>;
  /**
   * Deletes at most `runs` of its executions for good and says 'more', or deletes the workflow with the rest of what it
   * had. A crash in between leaves it in the trash.
   */
  purge(params: { id: number; runs: number }): Promise<'purged' | 'more' | 'missing'>;
}

/** A workflow in the trash. */
export interface TrashedWorkflow extends Workflow {
  readonly deletedAt: Instant;
}

/** The nodes and edges of workflows. */
export interface GraphStore {
  /** Nodes and edges by id, with the workflow's current version. Null when the workflow is gone. */
  load(workflowId: number): Promise<VersionedGraph | null>;
  /**
   * Applies the changes in one transaction if the graph is still at `baseVersion`: the version goes up by one, the
   * workflow's counts and updated_at follow, and each change publishes its event. Otherwise changes nothing.
   * Changes are applied as given: the rules are the caller's to check.
   */
  save(params: {
    workflowId: number;
    baseVersion: number;
    changes: readonly GraphChange[];
    at: Instant;
    origin?: SaveOrigin;
  }): Promise<SavedGraph | 'stale'>;
  /** Each save makes a version; so does the making of the workflow. Newest first; the oldest are pruned. */
  versions(params: { workflowId: number; limit: number; offset: number }): Promise<Page<GraphVersion>>;
  /** The graph as it was at a version; null when the workflow is gone, or never had that version, or it was pruned. */
  at(params: { workflowId: number; version: number }): Promise<{ info: GraphVersion; graph: Graph } | null>;
  /** The graph that a run pinned; null when no run ever pinned that version. */
  pinned(params: { workflowId: number; version: number }): Promise<Graph | null>;
}

/** A graph with the version that a save must be based on. */
export interface VersionedGraph extends Graph {
  readonly version: number;
}

/** Where a save comes from. */
export interface SaveOrigin {
  readonly authorId: number | null;
  /** The version whose graph it brings back. */
  readonly restoredFrom: number | null;
}

/** One version of a graph: what its save changed. */
export interface GraphVersion {
  readonly version: number;
  readonly createdAt: Instant;
  /** The user's name; null where no user made it, or one who is deleted. */
  readonly author: string | null;
  readonly restoredFrom: number | null;
  readonly nodes: ChangeCounts;
  readonly edges: ChangeCounts;
}

/** How many changes of each kind a save had. */
export interface ChangeCounts {
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
}

/** What a save made. */
export interface SavedGraph {
  readonly version: number;
  /** For each change that creates or updates, the stored object, in the order of the changes; null for deletions. */
  readonly saved: readonly (Node | Edge | null)[];
}

/** What a caller sets of a node. */
export type NodeFields = Omit<Node, 'id' | 'updatedAt'>;
/** What a caller sets of an edge. */
export type EdgeFields = Omit<Edge, 'id'>;
/**
 * One step of a save. What it creates may have an `id`: from `firstNewId` on a stand-in by which later steps of the same
 * save name it, as their `id` or as the model in a config's `llm_model_config_id`; below, the one that it had before it
 * was deleted.
 */
export type GraphChange =
  | { readonly kind: 'create_node'; readonly node: NodeFields; readonly id?: number }
  | { readonly kind: 'update_node'; readonly id: number; readonly node: NodeFields }
  | { readonly kind: 'delete_node'; readonly id: number; readonly nodeId: string }
  | { readonly kind: 'create_edge'; readonly edge: EdgeFields; readonly id?: number }
  | { readonly kind: 'update_edge'; readonly id: number; readonly edge: EdgeFields }
  | { readonly kind: 'delete_edge'; readonly id: number };

/** Runs, their journals, and who owns them at the moment. */
export interface ExecutionStore {
  /**
   * Stores a run to be claimed, with its payload, and pins the workflow's version by storing `graph` unless that
   * version is stored already. With an idempotency key seen for this workflow since `idempotentSince`, starts nothing
   * and returns the earlier run.
   */
  accept(params: NewExecution): Promise<{ readonly id: string; readonly created: boolean }>;
  /** The run that was accepted for this workflow with an idempotency key since then; null when there is none. */
  byIdempotencyKey(params: { workflowId: number; key: string; since: Instant }): Promise<string | null>;
  /** How many runs are pending or running. Cheap: may be called for each accepted request. */
  openCount(): Promise<number>;
  /**
   * Takes up to `limit` runs for `owner`, oldest first: those pending, and those running whose lease ended before
   * `now`. Each gets the status running, a new epoch and the lease.
   */
  claim(params: { owner: string; now: Instant; leaseUntil: Instant; limit: number }): Promise<readonly ClaimedRun[]>;
  /**
   * Appends facts and publishes events in one transaction, if the run is still at `epoch` and its journal ends at
   * `afterSeq`. A `run_finished` fact also ends the execution. 'lost' means that another owner has the run, or that
   * it is gone: the caller must drop it. Nothing is stored then.
   */
  append(params: Append): Promise<'stored' | 'lost'>;
  /** Prolongs all leases of the owner. */
  renew(params: { owner: string; leaseUntil: Instant }): Promise<void>;
  /** Gives runs back: pending again, to be claimed by anyone. For a clean stop. */
  release(params: { owner: string }): Promise<void>;
  /** Makes every running execution claimable at once. Only for a process that knows itself alone on the database. */
  recover(): Promise<number>;
  /** Ends a pending run; asks a running one to stop. 'ended' when it had ended before. */
  cancel(params: { id: string; at: Instant }): Promise<'cancelled' | 'requested' | 'ended' | 'missing'>;
  /** Also a removed workflow's: its history stays. `ownerId` says who may see it. */
  byId(id: string): Promise<OwnedExecution | null>;
  /** The run with all it needs to be shown: its trigger, journal and final output. */
  detail(id: string): Promise<ExecutionDetail | null>;
  list(params: ExecutionFilter): Promise<Page<Execution>>;
  /**
   * Deletes runs with their journals, if they have ended and their workflow is this user's, or one that they edit.
   * Others and unknown ones are left. Returns the deleted ids.
   */
  remove(params: { ids: readonly string[]; removableBy: number }): Promise<readonly string[]>;
}

/** A run to be accepted. */
export interface NewExecution {
  readonly id: string;
  readonly workflowId: number;
  readonly version: number;
  readonly graph: Graph;
  readonly triggerNodeId: string;
  readonly trigger: Trigger;
  readonly idempotency: { readonly key: string; readonly since: Instant } | null;
  readonly at: Instant;
}

/** A run with all that its owner needs to go on with it. */
export interface ClaimedRun {
  readonly id: string;
  readonly workflowId: number;
  readonly workflowSlug: string;
  readonly version: number;
  readonly epoch: number;
  readonly triggerNodeId: string;
  readonly trigger: Trigger;
  readonly acceptedAt: Instant;
  /** When its first claim began; the run's time limit counts from here. */
  readonly startedAt: Instant;
  readonly maxExecutionSeconds: number;
  readonly cancelRequested: boolean;
  readonly journal: readonly JournalEntry[];
}

/** New facts of a run and the events they cause. */
export interface Append {
  readonly id: string;
  readonly workflowId: number;
  readonly epoch: number;
  readonly afterSeq: number;
  readonly facts: readonly Fact[];
  readonly events: readonly Published[];
}

/** A run with the owner of its workflow. */
export interface OwnedExecution extends Execution {
  readonly ownerId: number;
}

/** A run with all it needs to be shown. */
export interface ExecutionDetail extends OwnedExecution {
  readonly trigger: Trigger;
  readonly finalOutput: JsonObject[string];
  readonly journal: readonly JournalEntry[];
}

/** Which runs to list. */
export interface ExecutionFilter {
  /** Runs of workflows that this user owns, or owned until they were removed, and of those that are shared with them. */
  readonly visibleTo: number;
  readonly workflowId?: number;
  readonly status?: ExecutionStatus;
  /** Accepted at this moment or later. */
  readonly since?: Instant;
  /** Accepted at this moment or earlier. */
  readonly until?: Instant;
  /** Text to find in payloads, outputs and errors, case-insensitively. */
  readonly q?: string;
  readonly limit: number;
  readonly offset: number;
}
