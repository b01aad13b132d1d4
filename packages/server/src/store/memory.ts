import type { Instant, KnownPerson, MemoryFact, PersonFound, PersonSeen } from '@millrace/core';
import type { Page } from './page.ts';

/** A user, or the user who owns a workflow now: runs go on when their workflow gets another owner. */
export type SpaceOwner = { readonly ownerId: number } | { readonly workflowId: number };

/** Whose facts: those of a workflow, those about a person, or those of all workflows of one owner. */
export type StoredSpace =
  | { readonly scope: 'workflow'; readonly workflowId: number }
  | ({ readonly scope: 'user'; readonly userId: string } & SpaceOwner)
  | ({ readonly scope: 'global' } & SpaceOwner);

/** What workflows remember. The facts of a workflow are deleted with it. */
export interface MemoryStore {
  find(params: { readonly space: StoredSpace; readonly key: string }): Promise<MemoryFact | null>;
  /**
   * The facts that have at least one word of the query, the best first; without a query all, the last changed first.
   */
  list(params: FactQuery): Promise<Page<MemoryFact>>;
  /** Stores or replaces a fact. 'full' if it would be a new one and the space has as many facts as it may have. */
  put(params: NewFact): Promise<MemoryFact | 'full'>;
  /** Deletes a fact. Returns whether there was one. */
  remove(params: { readonly space: StoredSpace; readonly key: string }): Promise<boolean>;
  /** Deletes all facts of a space, in several transactions. */
  clear(params: { readonly space: StoredSpace }): Promise<void>;
  /** Finds or stores the person. 'full' if the person is new and the owner's workflows know as many as they may. */
  identify(params: SeenBy): Promise<PersonFound | 'full'>;
  /** The people that the workflows of a user know, newest first; with `query` those whose name or address begins with it. */
  people(params: PeopleQuery): Promise<Page<KnownPerson>>;
  /** Deletes a person, who will be a new one in every channel, and the facts about them. */
  forget(params: { readonly ownerId: number; readonly userId: string }): Promise<void>;
}

interface SeenBy {
  readonly owner: SpaceOwner;
  readonly seen: PersonSeen;
  /** The Idempotency-Key of the step. The same key finds the same person as new again. */
  readonly key: string;
  readonly at: Instant;
}

interface FactQuery {
  readonly space: StoredSpace;
  /** Null for all facts. */
  readonly query: string | null;
  readonly limit: number;
  readonly offset: number;
  /** Characters of the values of a page, after which it ends; it has at least one fact. By default, they do not matter. */
  readonly characters?: number;
}

interface NewFact extends Pick<MemoryFact, 'key' | 'value'> {
  readonly space: StoredSpace;
  readonly at: Instant;
}

interface PeopleQuery {
  readonly ownerId: number;
  /** Null for all. */
  readonly query: string | null;
  readonly limit: number;
  readonly offset: number;
}
