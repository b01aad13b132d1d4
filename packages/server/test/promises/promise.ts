/** One size at which a promise is tested. */
interface Size {
  /** The figure that the tests assert at this size. */
  readonly figure: string;
  /** The variables that set the size; empty for the size of `npm test`. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A promise about the service, and the tests that show it. */
export interface ServicePromise {
  readonly id: string;
  /** What is promised, as a sentence. */
  readonly text: string;
  /** Test files, as paths from the root of the project. Each promise needs one that records a figure. */
  readonly tests: readonly string[];
  /** The part of the titles that selects the tests in these files; all tests if it is absent. */
  readonly only?: string;
  /** The size of every check of the code. */
  readonly ci: Size;
  /** The size before a release. */
  readonly release: Size;
}
