import { StepError } from '@millrace/core';

/** Of an answer this many bytes never count, so that small ones are always read: 64 MB for a thousand executions. */
const maxSmallAnswerBytes = 64 * 1024;
/** As for the bodies of requests to the service: nineteen of the largest answers. */
const maxAnswersTogether = 192 * 1024 * 1024;

/** The memory of one answer. */
export interface HeldAnswer {
  /** The answer has this many bytes now. @throws StepError `http_busy` */
  grow(size: number): void;
  /** It is no longer being read. */
  release(): void;
}

/** Limits the memory of the answers that steps are reading: each may be slow, and thousands can be read at once. */
export class HeldAnswers {
  readonly #most: number;
  #together = 0;

  constructor(most = maxAnswersTogether) {
    this.#most = most;
  }

  begin(): HeldAnswer {
    let own = 0;
    const hold = (bytes: number): void => {
      this.#together += bytes - own;
      own = bytes;
    };
    return {
      grow: (size) => {
        hold(Math.max(0, size - maxSmallAnswerBytes));
        if (own > 0 && this.#together > this.#most) throw tooMuch(this.#most);
      },
      release: () => hold(0),
    };
  }
}

function tooMuch(most: number): StepError {
  const message = `The answers that steps are reading have more than ${most / 1024 / 1024} MiB together. Try again later, or read fewer at once.`;
  return new StepError('http_busy', message, { retryable: true });
}
