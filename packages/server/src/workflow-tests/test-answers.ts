import { type ErrorCode, runThrough, StepError } from '@millrace/core';
import { answerBy, type Failable, type Kind } from '../recordings/kind.ts';
import { unlimited } from '../recordings/matching.ts';
import { Recordings } from '../recordings/recordings.ts';

/** Answers the steps of a test from its recordings of one kind. */
export class TestAnswers<Entry extends Failable, Asked, Answer> {
  readonly #kind: Kind<Entry, Asked, Answer>;
  readonly #missing: ErrorCode;
  readonly #recordings: Recordings<Entry>;

  /** @param missing the error of a step that asks for something without a recording */
  constructor(kind: Kind<Entry, Asked, Answer>, entries: readonly Entry[], missing: ErrorCode) {
    this.#kind = kind;
    this.#missing = missing;
    this.#recordings = new Recordings(entries, (entry, index) => kind.nameOf(entry, index));
  }

  get failures(): readonly string[] {
    return this.#recordings.failures;
  }

  /** @throws StepError if nothing is recorded, or if the recording says that there is no answer */
  answer(asked: Asked): Answer {
    const fits = this.#kind.fitting(asked, unlimited);
    const found = this.#recordings.take((entry) => runThrough(fits(entry)));
    if (found !== undefined) return answerBy(this.#kind, found, asked);
    const hint = this.#kind.hint?.(asked, this.#recordings.all) ?? '';
    const message = `No recording answers ${this.#kind.wordsOf(asked)}.${hint}`;
    this.#recordings.miss(message);
    throw new StepError(this.#missing, message);
  }
}
