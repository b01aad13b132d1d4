import type { RecordedFailure } from '@millrace/contract';
import { type ErrorCode, type SlicedWork, StepError } from '@millrace/core';
import type { Spending } from './matching.ts';
import type { Recorded, Recording } from './recordings.ts';

/** The kinds of exchanges, as keys of a test file. */
export type KindKey = 'http' | 'models' | 'commands' | 'git' | 'mcp';

/** An entry of a recording, with the reason why there was no answer. */
export interface Failable extends Recorded {
  readonly fails?: RecordedFailure | undefined;
}

/** One kind of exchange with the outside: how recordings of it are found, read and written. */
export interface Kind<Entry extends Failable, Asked, Answer> {
  readonly key: KindKey;
  /** What `fails` means without a code. */
  readonly failure: ErrorCode;
  /** The name of an entry in a report. */
  nameOf(entry: Entry, index: number): string;
  /** Finds out whether an entry answers a request: only what the entry names is compared. */
  fitting(asked: Asked, meter: Spending): (entry: Entry) => SlicedWork<boolean>;
  /** The answer of an entry that fits and does not fail. */
  answerOf(entry: Entry, asked: Asked): Answer;
  /** What a step asks for, in a sentence after "No recording answers". */
  wordsOf(asked: Asked): string;
  /** Why the recording that seems to be meant does not answer; a sentence after a space, or empty. */
  hint?(asked: Asked, recordings: readonly Recording<Entry>[]): string;
}

/** Exchanges of one kind, as they are written. */
export interface Writer<Entry extends Failable, Asked, Answer> {
  readonly key: KindKey;
  /** What was asked, for an exchange without an answer. */
  askedIn(asked: Asked): Entry;
  entryOf(asked: Asked, answer: Answer): Entry | Promise<Entry>;
}

/** The answer of an entry. @throws StepError if it says that there is none */
export function answerBy<Entry extends Failable, Asked, Answer>(
  kind: Kind<Entry, Asked, Answer>,
  entry: Entry,
  asked: Asked,
): Answer {
  const { fails } = entry;
  if (fails === undefined) return kind.answerOf(entry, asked);
  if (typeof fails === 'string') throw new StepError(kind.failure, fails, { retryable: true });
  const {
    code,
    message,
    retryable = false,
    not_performed: notPerformed = false,
    retry_after_ms: retryAfterMs = 0,
  } = fails;
  throw new StepError(code, message, { retryable, notPerformed, retryAfterMs });
}

/** How an entry records the failure of an exchange. */
export function failureIn(error: StepError): RecordedFailure {
  const { code, message, retryable, notPerformed, retryAfterMs } = error;
  return {
    code,
    // An error without a message is still one.
    message: message === '' ? code : message,
    ...(retryable && { retryable }),
    ...(notPerformed && { not_performed: true }),
    ...(retryAfterMs > 0 && { retry_after_ms: retryAfterMs }),
  };
}
