import type { Json } from '../json.ts';
import type { Instant } from '../time.ts';

/** Where in a step it pauses: before it begins (`interrupt_before`), in it, or after it (`interrupt_after`). */
export const pauseStages = ['before', 'step', 'after'] as const;
export type PauseStage = (typeof pauseStages)[number];

/** What a step waits for. With `until` it waits no longer than that; what follows then is its component's to say. */
export type Pause =
  | {
      readonly kind: 'timer';
      readonly until: Instant;
      /** That its step may not take as long as it is to wait. */
      readonly isCutShort?: true;
    }
  /** Somebody calls the step's callback URL. */
  | {
      readonly kind: 'callback';
      /** SHA-256 (hex) of the secret part of the URL. */
      readonly tokenHash: string;
      readonly until: Instant | null;
    }
  /** A person says yes or no. `fallback` is the answer when nobody has by then. */
  | {
      readonly kind: 'approval';
      readonly prompt: string;
      readonly fallback: boolean;
      readonly until: Instant | null;
    }
  /** Another execution, which this one started, ends. */
  | {
      readonly kind: 'child';
      readonly executionId: string;
      readonly workflow: string;
      readonly until: Instant | null;
    };

/** What a component pauses for. The engine adds the secret of a callback, and how long the step may wait at most. */
export type PauseRequest =
  | { readonly kind: 'timer'; readonly until: Instant }
  | { readonly kind: 'callback' }
  | { readonly kind: 'approval'; readonly prompt: string; readonly fallback: boolean }
  | { readonly kind: 'child'; readonly executionId: string; readonly workflow: string };

/** What ended a pause. */
export type PauseAnswer =
  /** Its time came. */
  | { readonly kind: 'time' }
  /** The callback URL was called with this body. */
  | { readonly kind: 'call'; readonly body: Json }
  | {
      readonly kind: 'decision';
      readonly confirmed: boolean;
      readonly response: string;
      /** The user's name; null for whoever had a signed link. */
      readonly by: string | null;
    }
  /** How the other execution ended. */
  | {
      readonly kind: 'end';
      readonly status: 'completed' | 'failed' | 'cancelled';
      readonly output: Json;
      readonly error: string | null;
    };

/** What names one pause in a run. */
export interface PauseKey {
  readonly frame: string;
  readonly nodeId: string;
  readonly stage: PauseStage;
}

/** The status of a run that has nothing to do but wait: interrupted when it waits for a person. */
export function parkedStatus(pauses: Iterable<Pick<Pause, 'kind'>>): 'waiting' | 'interrupted' {
  for (const { kind } of pauses) if (kind === 'approval') return 'interrupted';
  return 'waiting';
}
