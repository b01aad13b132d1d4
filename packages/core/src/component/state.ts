import { asNumber, inexactIntegers, receivedNumberOf } from '../base/resolved.ts';
import { StepError } from '../errors.ts';
import { jsonSize } from '../expression/json/json-size.ts';
import type { Json, JsonObject } from '../json.ts';
import { isArray } from '../json.ts';
import type { Instant } from '../time.ts';

/** What a step can do with a value that persists between runs. */
export const stateOperations = ['get', 'set', 'increment', 'append', 'delete', 'first_seen'] as const;
export type StateOperation = (typeof stateOperations)[number];

/** Longer keys would not fit into addresses and messages. */
export const maxStateKey = 255;
/** Characters of a value as JSON: state is for positions and marks, not for documents. */
export const maxStateValue = 65_536;
/** Ten years: an expiry that lies further ahead is as good as none. */
export const maxStateTtl = 315_360_000;

/** Which value: of the workflow, or of a scope that the workflows of one owner share. */
export interface StateKey {
  /** Null for the workflow's own values. */
  readonly scope: string | null;
  readonly key: string;
}

/** An operation that is carried out in the transaction that stores the step's fact. */
export interface StateRequest extends StateKey {
  readonly operation: StateOperation;
  /** What `set`, `append` and `first_seen` store, and by how much `increment` counts. */
  readonly value: Json;
  /** How long `first_seen` remembers the key; null for no expiry. */
  readonly ttlSeconds: number | null;
}

/** A stored value. */
export interface StateEntry {
  readonly value: Json;
  readonly expiresAt: Instant | null;
}

/** What comes of an operation: the step's outputs, and the entry afterwards (`same` when it is unchanged). */
export interface StateResult {
  readonly outputs: JsonObject;
  readonly entry: StateEntry | null | 'same';
}

/**
 * Carries out an operation on the entry that is stored, or null when there is none.
 * @throws StepError `state` when the operation does not fit the stored value, or the value would be too large
 */
export function applyState(request: StateRequest, stored: StateEntry | null, now: Instant): StateResult {
  const entry = stored !== null && stored.expiresAt !== null && stored.expiresAt <= now ? null : stored;
  const before = entry?.value ?? null;
  switch (request.operation) {
    case 'get':
      return { outputs: { value: before, is_new: false }, entry: 'same' };
    case 'delete':
      return { outputs: { value: before, is_new: false }, entry: null };
    case 'set':
      return stores(request, entry, request.value);
    case 'increment':
      return stores(request, entry, incremented(request, before));
    case 'append':
      return stores(request, entry, appended(request, before));
    case 'first_seen':
      return firstSeen(request, entry, now);
  }
}

function stores(request: StateRequest, entry: StateEntry | null, value: Json): StateResult {
  checkSize(request, value);
  return { outputs: { value, is_new: entry === null }, entry: { value, expiresAt: entry?.expiresAt ?? null } };
}

function incremented(request: StateRequest, before: Json): number {
  const by = asNumber(request.value, 'value');
  if (typeof receivedNumberOf(before) === 'bigint') throw misfit(request, `is too large: ${inexactIntegers}`);
  if (before !== null && typeof before !== 'number')
    throw misfit(request, 'is not a number, so it cannot be incremented');
  const sum = (before ?? 0) + by;
  if (!Number.isFinite(sum)) throw misfit(request, 'would be larger than any number');
  // A counter that is rounded would stop counting.
  if (Number.isInteger(sum) && !Number.isSafeInteger(sum))
    throw misfit(request, 'would be outside ±(2^53 − 1), where a sum is rounded');
  return sum;
}

function appended(request: StateRequest, before: Json): readonly Json[] {
  if (before !== null && !isArray(before)) throw misfit(request, 'is not a list, so nothing can be appended');
  return [...(before ?? []), request.value];
}

/** The first caller within the time stores its value; those after it get that value, and do not extend the time. */
function firstSeen(request: StateRequest, entry: StateEntry | null, now: Instant): StateResult {
  if (entry !== null) return { outputs: { value: entry.value, is_new: false }, entry: 'same' };
  const { value, ttlSeconds } = request;
  checkSize(request, value);
  const expiresAt = ttlSeconds === null ? null : now + ttlSeconds * 1000;
  return { outputs: { value, is_new: true }, entry: { value, expiresAt } };
}

function checkSize(request: StateRequest, value: Json): void {
  // Measured first, because a value of many megabytes takes long to write.
  if (jsonSize(value, maxStateValue) > maxStateValue || JSON.stringify(value).length > maxStateValue)
    throw misfit(request, `would be longer than ${maxStateValue} characters as JSON`);
}

function misfit({ key, scope }: StateRequest, reason: string): StepError {
  return new StepError('state', `The value of '${key}'${scope === null ? '' : ` in scope '${scope}'`} ${reason}.`);
}
