/** One thing that the interface says, and the tests that hold it. */
export interface Row {
  /** Stable: other documents may name it. */
  readonly id: string;
  /** What holds, in a few words. */
  readonly says: string;
  /** Each `file: title`; the file as `testFileOf` finds it, the title as its source has it. */
  readonly tests: readonly string[];
}

/** Rows of one part of the interface. */
export interface Part {
  readonly title: string;
  readonly rows: readonly Row[];
}

type Line = readonly [id: string, says: string, ...tests: string[]];

/** A part whose rows have ids that begin alike. */
export function part(title: string, prefix: string, lines: readonly Line[]): Part {
  return { title, rows: lines.map(([id, says, ...tests]) => ({ id: `${prefix}.${id}`, says, tests })) };
}
