import type { Connection } from '../database/connection.ts';

/** The size of a journal with its large values. */
export interface JournalSize {
  /** At least as many, if it is large. */
  readonly bytes: number;
  /** True if it should be read in slices. */
  readonly isLarge: boolean;
}

/** Facts of a large journal: folding as many takes some 5 ms. */
const manyFacts = 1000;

/** Measures journals. SQLite reads only the sizes, and not all of a large journal. */
export function prepareJournalSize(
  connection: Connection,
  largeJournal: number,
): (id: string, lastSeq: number) => JournalSize {
  const sizes = connection
    .prepare<[string, string], number>(
      `SELECT octet_length(data) FROM journal WHERE execution_id = ?
       UNION ALL SELECT octet_length(b.json) FROM blob_uses u JOIN blobs b ON b.hash = u.hash WHERE u.execution_id = ?`,
    )
    .pluck();
  return (id, lastSeq) => {
    if (lastSeq > manyFacts) return { bytes: largeJournal, isLarge: true };
    let bytes = 0;
    for (const size of sizes.iterate(id, id)) {
      bytes += size;
      if (bytes > largeJournal) return { bytes, isLarge: true };
    }
    return { bytes, isLarge: false };
  };
}
