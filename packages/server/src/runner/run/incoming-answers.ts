import type { CancelTimer } from '../../ground/clock.ts';
import type { GivenAnswer } from '../../store/waits.ts';
import type { RunnerPorts } from '../ports.ts';
import { isStoreFailure } from './fatal-error.ts';

/** Milliseconds before another attempt to read the answers: a busy database has time to recover. */
const retryMs = 1000;

interface IncomingAnswersParts {
  readonly ports: Pick<RunnerPorts, 'store' | 'timers' | 'log'>;
  readonly executionId: string;
  /** Receives the answers that the run has not journaled yet. */
  readonly take: (answers: readonly GivenAnswer[]) => void;
  /** Called with an error that would occur again, such as a damaged answer. */
  readonly failed: (error: unknown) => void;
}

/** Reads the stored answers to the waits of one run, and retries while the database cannot be read. */
export class IncomingAnswers {
  readonly #parts: IncomingAnswersParts;
  #retry: CancelTimer | null = null;
  #closed = false;

  constructor(parts: IncomingAnswersParts) {
    this.#parts = parts;
  }

  /** Reads the stored answers. */
  read(): void {
    const { ports, executionId, take } = this.#parts;
    ports.store.waits.answers(executionId).then(
      (answers) => take(answers),
      (error: unknown) => this.#notRead(error),
    );
  }

  /** Stops the retries: the run has left this process. */
  close(): void {
    this.#closed = true;
    this.#retry?.();
  }

  #notRead(error: unknown): void {
    if (this.#closed) return;
    const { ports, executionId, failed } = this.#parts;
    if (!isStoreFailure(error)) {
      failed(error);
      return;
    }
    ports.log.warn({ err: error, executionId }, 'answers could not be read; trying again');
    this.#retry?.();
    this.#retry = ports.timers.after(retryMs, () => this.read());
  }
}
