/** A promise of the interface, and the tests that verify it. */
export interface Row {
  /** Stable, because other documents may refer to it. */
  readonly id: string;
  /** The promise in a few words. */
  readonly says: string;
  /** Each `file: title`; `namedTest` finds the file, and the title is as in its source. */
  readonly tests: readonly string[];
}

/** Rows of one part of the interface. */
export interface Part {
  readonly title: string;
  /** The ids of its rows start with it; absent if its rows are made from tables. */
  readonly prefix?: string;
  readonly rows: readonly Row[];
}

type Line = readonly [id: string, says: string, ...tests: string[]];

/** A part whose rows share a prefix of their ids. */
export function part(title: string, prefix: string, lines: readonly Line[]): Part {
  return { title, prefix, rows: lines.map(([id, says, ...tests]) => ({ id: `${prefix}.${id}`, says, tests })) };
}
