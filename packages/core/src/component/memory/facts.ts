import { jsonSize } from '../../expression/json/json-size.ts';
import type { Json } from '../../json.ts';
import type { Instant } from '../../time.ts';

/** Who shares a fact: the runs of one workflow, what is known about one person, or all workflows of one owner. */
export const factScopes = ['workflow', 'user', 'global'] as const;

/** Characters of a key, as for state: longer ones would not fit into addresses and messages. */
export const maxFactKey = 255;
/** Characters of the id of a person: as many as of a key. */
export const maxFactUser = 255;
/** Characters of a value as JSON: a fact is a note, not a document. */
export const maxFactValue = 65_536;
/** Facts of one scope: a workflow, a person, or an owner. A list of them is read at once when a scope is cleared. */
export const maxFacts = 10_000;
/** Characters of a search: a long sentence. */
export const maxFactQuery = 1000;
/** The facts that a step of a run uses. */
export type FactSpace =
  | { readonly scope: 'workflow' }
  | { readonly scope: 'global' }
  /** The id of a person, as workflows know them. It is not a user of this service. */
  | { readonly scope: 'user'; readonly userId: string };

/** What a workflow remembers under a key. */
export interface MemoryFact {
  readonly key: string;
  readonly value: Json;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The facts that a step can read and write. */
export interface FactsPort {
  /** Null if there is none. */
  find(space: FactSpace, key: string): Promise<MemoryFact | null>;
  /** The facts that match a search, the best first; without one the newest first. */
  list(
    space: FactSpace,
    asked: { readonly query: string | null; readonly limit: number },
  ): Promise<readonly MemoryFact[]>;
  /** @throws StepError `memory` if the scope has no room */
  put(space: FactSpace, fact: Pick<MemoryFact, 'key' | 'value'>): Promise<void>;
  remove(space: FactSpace, key: string): Promise<void>;
}

/** Whether a value is too large for a fact. */
export function exceedsFact(value: Json): boolean {
  // Measured first, because a value of many megabytes takes long to write.
  return jsonSize(value, maxFactValue) > maxFactValue || JSON.stringify(value).length > maxFactValue;
}
