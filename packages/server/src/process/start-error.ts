/** The service cannot start, for a reason that the operator can fix. The message is one line. */
export class StartError extends Error {}

/** The code of a failed system call, or the message of another error. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason';
  return 'code' in error ? String(error.code) : error.message;
}
