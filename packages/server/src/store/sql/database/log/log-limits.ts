/** Sizes of the write-ahead log, in bytes, in ascending order. */
export interface LogLimits {
  /** From here on the log is copied into the database file. */
  readonly due: number;
  /** From here on all writes wait until the log is copied, so that it can restart. */
  readonly wait: number;
  /** From here on nothing new is accepted, so that what was accepted has room to continue. */
  readonly reject: number;
  /** From here on nothing is written. One transaction more fits into `maxLogBytes`. */
  readonly full: number;
}

/** The log is never larger. */
export const maxLogBytes = 512 * 1024 * 1024;

/**
 * At 16 MiB a page that changes often is copied once for many commits. A backup, which keeps the log from restarting,
 * ends by itself when the log has grown by 256 MiB: what lies between `wait` and `reject`.
 */
export const usualLogLimits: LogLimits = {
  due: 16 * 1024 * 1024,
  wait: 64 * 1024 * 1024,
  reject: 320 * 1024 * 1024,
  full: 384 * 1024 * 1024,
};

/** What the size of the log allows. */
export interface LogPressure {
  /** All writes wait while the log is copied. */
  readonly mustWait: boolean;
  /** Nothing new may be accepted. */
  readonly isBehind: boolean;
  /** Nothing may be written. */
  readonly isFull: boolean;
}

/** What a log of this many bytes allows. */
export function pressureOf(bytes: number, { wait, reject, full }: LogLimits): LogPressure {
  return { mustWait: bytes >= wait, isBehind: bytes >= reject, isFull: bytes >= full };
}

/**
 * Milliseconds after which a transaction takes no further call. Storing is limited by the speed of memory, about 1 GB/s,
 * so it writes some 50 MiB and one more call, of which the largest are outputs of 16 MiB.
 */
export const maxTransactionMs = 50;
