import type { JsonObject } from '@millrace/core';

/** The recordings of runs, and the recorded answers that runs get instead of those of the outside. */
export interface RecordingStore {
  /**
   * Adds an exchange of a step to a recording, unless that is cut or deleted. If an earlier owner of the run performed
   * the same attempt, its exchanges are replaced: no fact follows from them. At `maxRecordingBytes` or `maxExchanges`,
   * the recording is cut: it becomes empty and stays so.
   */
  add(params: { readonly id: string; readonly step: RecordedStep; readonly exchange: RecordedExchange }): Promise<void>;
  /** What a recording has, without its exchanges. Null if there is none. */
  find(id: string): RecordingSummary | null;
  /** Null if there is none. */
  read(id: string): Promise<Recording | null>;
  /**
   * Uses one of these answers, the first that is left, for a step; null if all of them are used up, or the recording
   * was deleted. What an earlier owner of the run used for the same attempt is free again.
   */
  use(params: {
    readonly id: string;
    readonly step: RecordedStep;
    readonly positions: readonly number[];
  }): Promise<number | null>;
}

/** Bytes of the JSON of a recording: reading as much takes about 50 ms. */
export const maxRecordingBytes = 8_388_608;

/** Exchanges of a recording. A replay compares each request with all of them. */
export const maxExchanges = 2_000;

/** A recording in which a run takes part: its own, or that of the run that started it. */
export interface RunRecording {
  /** The run that the recording belongs to. */
  readonly id: string;
  /** Whether the run gets its answers from the recording, or adds to it. */
  readonly isReplayed: boolean;
}

/** An attempt of a step, for one owner of its run. */
export interface RecordedStep {
  readonly executionId: string;
  readonly workflowId: number;
  readonly epoch: number;
  readonly frame: string;
  readonly nodeId: string;
  readonly attempt: number;
}

/** One exchange with the outside. */
export interface RecordedExchange {
  /** The key of a test file to which it belongs, such as `http`. */
  readonly kind: string;
  /** As a test file contains it. */
  readonly entry: JsonObject;
}

/** A stored exchange. */
export interface StoredExchange extends RecordedExchange {
  readonly position: number;
}

/** A recording without its exchanges. */
export interface RecordingSummary {
  /** Whether it was given to the run, rather than recorded. */
  readonly isGiven: boolean;
  /** Whether it became too large; it is then empty. */
  readonly isCut: boolean;
  /** The workflows of the runs that took part. */
  readonly workflowIds: readonly number[];
  readonly bytes: number;
}

/** A recording, in the order in which the exchanges ended. */
export interface Recording extends RecordingSummary {
  readonly exchanges: readonly StoredExchange[];
}

/** How a new run takes part in a recording. */
export type NewRecording =
  /** It is recorded. */
  | { readonly kind: 'record' }
  /** It gets these answers, and none of the outside. */
  | { readonly kind: 'given'; readonly exchanges: readonly RecordedExchange[] }
  /** It gets a copy of the answers that another run recorded, or got. */
  | { readonly kind: 'copied'; readonly from: string }
  /** It takes part in the recording of the run that starts it. */
  | { readonly kind: 'shared'; readonly recording: RunRecording };
