import type { Json } from '../json.ts';
import type { Instant } from '../time.ts';

/** The stage at which a step pauses: before it begins (`interrupt_before`), in it, or after it (`interrupt_after`). */
export const pauseStages = ['before', 'step', 'after'] as const;
export type PauseStage = (typeof pauseStages)[number];

/** The event that a step waits for. With `until` it waits at most until then; its component decides what follows. */
export type Pause =
  | {
      readonly kind: 'timer';
      readonly until: Instant;
      /** The wait is for a duration: if the clock is set, it does not end earlier or later. */
      readonly isDuration?: true;
      /** The wait is longer than its step may take. */
      readonly isCutShort?: true;
    }
  /** A call of the step's callback URL. */
  | {
      readonly kind: 'callback';
      /** SHA-256 (hex) of the secret part of the URL. */
      readonly tokenHash: string;
      readonly until: Instant | null;
    }
  /** A person answers yes or no. `fallback` is the answer if there is none by then. */
  | {
      readonly kind: 'approval';
      readonly prompt: string;
      readonly fallback: boolean;
      readonly until: Instant | null;
    }
  /** The end of another execution that this one started. */
  | {
      readonly kind: 'child';
      readonly executionId: string;
      readonly workflow: string;
      readonly until: Instant | null;
      /** The owner of this run sees the other workflow only because it is public, and not why its execution failed. */
      readonly isPublicCall?: true;
    };

/** The pause that a component requests. The engine adds the secret of a callback, and the longest wait of the step. */
export type PauseRequest =
  | { readonly kind: 'timer'; readonly until: Instant; readonly isDuration?: true }
  | { readonly kind: 'callback' }
  | { readonly kind: 'approval'; readonly prompt: string; readonly fallback: boolean }
  | { readonly kind: 'child'; readonly executionId: string; readonly workflow: string };

/** The event that ended a pause. */
export type PauseAnswer =
  /** The time was reached. */
  | { readonly kind: 'time' }
  /** The callback URL was called with this body. */
  | { readonly kind: 'call'; readonly body: Json }
  | {
      readonly kind: 'decision';
      readonly confirmed: boolean;
      readonly response: string;
      /** The user's name; null for a person with a signed link. */
      readonly by: string | null;
    }
  /** The end of the other execution. */
  | {
      readonly kind: 'end';
      readonly status: 'completed' | 'failed' | 'cancelled';
      readonly output: Json;
      readonly error: string | null;
    };

/** Identifies one pause in a run. */
export interface PauseKey {
  readonly frame: string;
  readonly nodeId: string;
  readonly stage: PauseStage;
}

/** The status of a run that can only wait: interrupted if it waits for a person. */
export function parkedStatus(pauses: Iterable<Pick<Pause, 'kind'>>): 'waiting' | 'interrupted' {
  for (const { kind } of pauses) if (kind === 'approval') return 'interrupted';
  return 'waiting';
}

/**
 * A pause after the clock was set: a duration or a time limit ends after the same time as before, and a time of the
 * clock does not change.
 */
export function pauseAfterSetClock(pause: Pause, byMs: number): Pause {
  if (pause.until === null) return pause;
  const isMeasured = pause.kind !== 'timer' || pause.isDuration === true || pause.isCutShort === true;
  return isMeasured ? { ...pause, until: pause.until + byMs } : pause;
}
