import type { JsonObject, Variable, VariableName } from '@millrace/core';
import type { Page } from './page.ts';

/** Whose variables: of a workflow, or of the instance (null). */
export interface VariableOwner {
  readonly workflowId: number | null;
}

/** The variables' verbs. The store holds sealed texts of secrets and cannot open them. */
export interface VariableStore {
  /** Newest first. */
  list(params: VariableOwner & { limit: number; offset: number }): Promise<Page<Variable>>;
  byName(params: VariableOwner & { name: string }): Promise<StoredVariable | null>;
  /**
   * `exists` when the name is taken, `full` when the owner has `most` variables, `key_replaced` when the seal is not by
   * the current key: nothing is stored then.
   */
  insert(params: NewVariable & { most: number }): Promise<Variable | 'exists' | 'full' | 'key_replaced'>;
  /** `stale` when it was written since `revision` was read: nothing is stored. */
  update(params: NewVariable & { revision: number }): Promise<Variable | 'stale' | 'key_replaced'>;
  /** False when there is none. */
  remove(params: VariableOwner & { name: string }): Promise<boolean>;
  /** What a workflow can read: its own variables and those of the instance that they do not shadow. */
  visibleTo(params: VariableOwner): Promise<readonly VariableName[]>;
  /** The variable that a workflow reads under this name, with its sealed secret; null when there is none. */
  sealedFor(params: VariableOwner & { name: string }): Promise<StoredVariable | null>;
  /**
   * The variables of a run as they were when it started. The first call stores them, later calls read what is stored.
   * `names` limits them to what the workflow names; null means all.
   */
  ofRun(params: { executionId: string; workflowId: number; names: readonly string[] | null }): Promise<RunVariables>;
  /** Some of those after this id that another key than the current one has sealed, oldest first. */
  sealedByOldKeys(params: { afterId: number; limit: number }): Promise<readonly SealedVariable[]>;
  /** The same secret under another key. `stale` as in update. */
  reseal(params: { id: number; revision: number; sealed: string }): Promise<'stored' | 'stale' | 'key_replaced'>;
}

/** A variable to be stored. `value` of a secret is its mask. */
export interface NewVariable extends VariableOwner, Variable {
  /** Null for a variable that is not secret. Begins with its key's id and a dot. */
  readonly sealed: string | null;
}

/** A variable with its sealed secret. */
export interface StoredVariable extends NewVariable {
  readonly revision: number;
}

/** A secret variable as it is stored. */
export interface SealedVariable extends StoredVariable {
  readonly id: number;
  readonly sealed: string;
}

/** What a run reads as `vars`. */
export interface RunVariables {
  readonly values: JsonObject;
  /** Names of secret variables, whose values only outgoing requests get. */
  readonly secrets: readonly string[];
}
