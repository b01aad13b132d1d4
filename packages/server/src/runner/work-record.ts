/** What a run does while it has the event loop. */
export interface Work {
  readonly executionId: string;
  /** Whether the run is resumed from its journal, or performs steps. */
  readonly during: 'resume' | 'steps';
  /** The node that it performs; null between two nodes. */
  readonly nodeId: string | null;
}

/** Records which run has the event loop, so that a crash or a stall of the process can be attributed to it. */
export interface WorkRecord {
  /** Whether work of a run is recorded now. */
  readonly isRecording: boolean;
  /** Does work of a run. Asynchronous work that it starts belongs to the run, too. */
  perform<Result>(work: Work, act: () => Result): Result;
  /** The run continues after an asynchronous operation, until it waits again. */
  continue(work: Work): void;
}

/** Records nothing. */
export const noWorkRecord: WorkRecord = {
  isRecording: true,
  perform: (_work, act) => act(),
  continue: () => undefined,
};

/** An asynchronous operation after which the run has the event loop again. */
export async function continued<Result>(record: WorkRecord, work: Work, operation: Promise<Result>): Promise<Result> {
  try {
    return await operation;
  } finally {
    record.continue(work);
  }
}
