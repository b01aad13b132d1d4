import type { JsonObject, Variable, VariableName } from '@millrace/core';
import type { Page } from './page.ts';

/** The owner of variables: a workflow, or the instance (null). */
export interface VariableOwner {
  readonly workflowId: number | null;
}

/** The store of variables. It holds only sealed texts of secrets and cannot open them. */
export interface VariableStore {
  /** Newest first. */
  list(params: VariableOwner & { limit: number; offset: number }): Promise<Page<Variable>>;
  byName(params: VariableOwner & { name: string }): Promise<StoredVariable | null>;
  /**
   * `exists` if the name is already used, `full` if the owner has `most` variables, `too_large` if all values of the
   * owner would have more than `mostLength` characters of JSON, `key_replaced` if the seal was not made with the current
   * key; nothing is stored then.
   */
  insert(
    params: NewVariable & { most: number; mostLength: number },
  ): Promise<Variable | 'exists' | 'full' | 'too_large' | 'key_replaced'>;
  /** The variable had the name `before`. `stale` if it changed since `revision` was read; the others as in `insert`. */
  update(
    params: NewVariable & { before: string; revision: number; mostLength: number },
  ): Promise<Variable | 'stale' | 'exists' | 'too_large' | 'key_replaced'>;
  /** False if there is none. */
  remove(params: VariableOwner & { name: string }): Promise<boolean>;
  /** The variables that a workflow can read: its own, and those of the instance that they do not shadow. */
  visibleTo(params: VariableOwner): Promise<readonly VariableName[]>;
  /** The variable that a workflow reads under this name, with its sealed secret; null if there is none. */
  sealedFor(params: VariableOwner & { name: string }): Promise<StoredVariable | null>;
  /**
   * The variables of a run as they were when it started. The first call stores them; later calls read the stored ones.
   * `names` limits them to the names that the workflow uses; null means all.
   */
  ofRun(params: { executionId: string; workflowId: number; names: readonly string[] | null }): Promise<RunVariables>;
  /** Some of the variables after this id that were sealed with a key other than the current one, oldest first. */
  sealedByOldKeys(params: { afterId: number; limit: number }): Promise<readonly SealedVariable[]>;
  /** Stores the same secret sealed with another key. `stale` as in update. */
  reseal(params: { id: number; revision: number; sealed: string }): Promise<'stored' | 'stale' | 'key_replaced'>;
}

/** A variable to be stored. `value` of a secret is its mask. */
export interface NewVariable extends VariableOwner, Variable {
  /** Null for a variable that is not secret. Begins with the key's id and a dot. */
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

/** The value of `vars` in a run. */
export interface RunVariables {
  readonly values: JsonObject;
  /** Names of secret variables, whose values are used only in outgoing requests. */
  readonly secrets: readonly string[];
}
