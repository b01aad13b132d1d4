/** The result of a test of a credential. */
export interface TestResult {
  readonly ok: boolean;
  /** The message of the provider; empty if there is none. */
  readonly message: string;
  /** How long the provider took, with the way to it, in milliseconds. */
  readonly latencyMs: number;
  /** When the test ended, in milliseconds since 1970. */
  readonly at: number;
  /** When the credential was changed last before the test. */
  readonly version: string;
}

/** Reads a stored result; null if there is none, or the credential has been changed since. */
export function readTest(text: string | null, version: string): TestResult | null {
  if (text === null) return null;
  try {
    const stored = JSON.parse(text) as Partial<TestResult> | null;
    return isResult(stored) && stored.version === version ? stored : null;
  } catch {
    return null;
  }
}

function isResult(stored: Partial<TestResult> | null): stored is TestResult {
  return (
    typeof stored?.ok === 'boolean' &&
    typeof stored.message === 'string' &&
    typeof stored.latencyMs === 'number' &&
    typeof stored.at === 'number'
  );
}
