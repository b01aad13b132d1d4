import { type Instant, type JournalEntry, type Json, jsonSize, runThrough, type SlicedWork } from '@millrace/core';
import type { Connection } from '../database/connection.ts';
import { Damage, isStorageFailure } from '../database/failures.ts';
import { type BlobRef, type Blobs, type KnownValues, largeValue } from './blobs.ts';

type Journaled = JournalEntry['fact'];

interface JournalRow {
  readonly seq: number;
  readonly heads: string;
  readonly data: string;
}

/** Rows that one slice reads, and the `seq` of the last one if there may be more. */
interface JournalSlice {
  readonly rows: readonly JournalRow[];
  readonly last: number | null;
}

/** The journal's table: appends facts and reads them in order. */
export interface Journal {
  /** Work to be done before `insert`; null if no fact has a large value. */
  prepare(facts: readonly Journaled[]): SlicedWork<void> | null;
  /** @param seq of the first fact */
  insert(executionId: string, seq: number, facts: readonly Journaled[]): void;
  read(executionId: string): JournalEntry[];
  /** The facts up to this number, of a journal that may be large. A journal only grows, so they belong together. */
  reading(executionId: string, lastSeq: number): SlicedWork<JournalEntry[]>;
  /** The same without the damaged parts. */
  readingIntact(executionId: string, lastSeq: number): SlicedWork<ReadableJournal>;
  /** The last fact; undefined for an empty journal. */
  last(executionId: string): JournalEntry | undefined;
}

/** Bytes of a journal that are read and parsed in one slice: some 3 ms. */
const sliceBytes = 262_144;
/** Characters of facts in one row, and more only if one fact has more: a row is parsed in one piece. */
const maxRowLength = 262_144;

/** The readable part of a journal. */
interface ReadableJournal {
  readonly entries: JournalEntry[];
  readonly isWhole: boolean;
}

/**
 * The facts of one append are one row, or a few if they are large: they became true together, and a row for each would
 * cost several times as much. `heads` holds what happened where; `data` holds what people search: outputs, errors and
 * all else.
 */
export function prepareJournal(connection: Connection, blobs: Blobs): Journal {
  const insert = connection.prepare<[string, number, string, string]>(
    'INSERT INTO journal (execution_id, seq, heads, data) VALUES (?, ?, ?, ?)',
  );
  const rowsAfter = connection.prepare<[string, number, number], JournalRow>(
    'SELECT seq, heads, data FROM journal WHERE execution_id = ? AND seq > ? AND seq <= ? ORDER BY seq',
  );
  const lastRow = connection.prepare<[string], JournalRow>(
    'SELECT seq, heads, data FROM journal WHERE execution_id = ? ORDER BY seq DESC LIMIT 1',
  );

  /** The next rows, as many as one slice may read. The statement ends with it, so that others can write in between. */
  function nextRows(executionId: string, after: number, lastSeq: number): JournalSlice {
    const rows: JournalRow[] = [];
    let left = sliceBytes;
    for (const row of rowsAfter.iterate(executionId, after, lastSeq)) {
      rows.push(row);
      left -= row.heads.length + row.data.length;
      if (left <= 0) return { rows, last: row.seq };
    }
    return { rows, last: null };
  }

  function* reading<Part>(
    { executionId, lastSeq }: { readonly executionId: string; readonly lastSeq: number },
    read: (row: JournalRow, known: KnownValues) => SlicedWork<Part>,
  ): SlicedWork<Part[]> {
    const known: KnownValues = { values: new Map(), unparsed: sliceBytes };
    const parts: Part[] = [];
    let after = 0;
    for (;;) {
      const { rows, last } = nextRows(executionId, after, lastSeq);
      for (const row of rows) parts.push(yield* read(row, known));
      if (last === null) return parts;
      after = last;
      known.unparsed = sliceBytes;
      yield;
    }
  }

  const entriesOf = (row: JournalRow, known: KnownValues) =>
    toEntries(row, (rest, refs) => blobs.fill(rest, refs, known), known);

  const all = Number.MAX_SAFE_INTEGER;
  const journal: Journal = {
    prepare: (facts) => blobs.write(facts),
    insert(executionId, seq, facts) {
      const [heads, data]: [Head[], object[]] = [[], []];
      for (const fact of facts) {
        const { head, rest } = takeApart(fact);
        heads.push(head);
        data.push(rest);
      }
      // Writing a large value takes up to a tenth of a second, so it is written only once, when it is cut out.
      const text = jsonSize(data as Json, largeValue) > largeValue ? null : JSON.stringify(data);
      if (text !== null && text.length <= largeValue) insert.run(executionId, seq, JSON.stringify(heads), text);
      else insertCut(executionId, seq, { heads, data });
    },
    read: (executionId) => runThrough(journal.reading(executionId, all)),
    *reading(executionId, lastSeq) {
      return (yield* reading({ executionId, lastSeq }, entriesOf)).flat();
    },
    *readingIntact(executionId, lastSeq) {
      const parts = yield* reading({ executionId, lastSeq }, (row, known) => intact(entriesOf(row, known)));
      return { entries: parts.flatMap((part) => part ?? []), isWhole: !parts.includes(null) };
    },
    last(executionId) {
      const row = lastRow.get(executionId);
      return row && runThrough(entriesOf(row, { values: new Map(), unparsed: sliceBytes })).at(-1);
    },
  };
  return journal;

  /** Something is large: its large values are stored separately. */
  function insertCut(
    executionId: string,
    seq: number,
    facts: { heads: readonly Head[]; data: readonly object[] },
  ): void {
    const stored = new Map<unknown, string>();
    const cuts = facts.data.map((rest) => blobs.cut(executionId, rest, stored));
    const heads = facts.heads.map((head, index): Head => {
      const { refs = [] } = cuts[index] ?? {};
      const [kind, at, nodeId, frame, attempt, durationMs] = head;
      return refs.length === 0 ? head : [kind, at, nodeId, frame, attempt, durationMs, refs];
    });
    const texts = cuts.map(({ rest }) => JSON.stringify(rest));
    for (const [first, end] of rowsOf(texts)) {
      const rowHeads = JSON.stringify(heads.slice(first, end));
      insert.run(executionId, seq + first, rowHeads, `[${texts.slice(first, end).join()}]`);
    }
  }
}

/** Which facts each row has: from one index to the one before another. */
function* rowsOf(texts: readonly string[]): Iterable<readonly [first: number, end: number]> {
  let [first, length] = [0, 0];
  for (const [index, text] of texts.entries()) {
    if (index > first && length + text.length > maxRowLength) {
      yield [first, index];
      [first, length] = [index, 0];
    }
    length += text.length;
  }
  yield [first, texts.length];
}

/** The part of a fact that a text search skips, because its words occur in every run. */
type Head = [
  kind: Journaled['kind'],
  at: Instant,
  nodeId: string | null,
  frame?: string | undefined,
  attempt?: number | undefined,
  durationMs?: number | undefined,
  /** The values that are stored separately. */
  refs?: readonly BlobRef[],
];

function takeApart(fact: Journaled): { head: Head; rest: object } {
  switch (fact.kind) {
    case 'step_succeeded': {
      const { kind, at, nodeId, frame, attempt, durationMs, ...rest } = fact;
      return { head: [kind, at, nodeId, frame, attempt, durationMs], rest };
    }
    case 'step_failed': {
      const { kind, at, nodeId, frame, attempt, durationMs, ...rest } = fact;
      return { head: [kind, at, nodeId, frame, attempt, durationMs], rest };
    }
    case 'step_skipped':
      return { head: [fact.kind, fact.at, fact.nodeId, fact.frame], rest: {} };
    case 'step_started':
    case 'step_stopped':
    case 'loop_started':
    case 'calls_opened':
    case 'step_paused': {
      const { kind, at, nodeId, frame, attempt, ...rest } = fact;
      return { head: [kind, at, nodeId, frame, attempt], rest };
    }
    case 'step_resumed': {
      const { kind, at, nodeId, frame, ...rest } = fact;
      return { head: [kind, at, nodeId, frame], rest };
    }
    case 'run_finished': {
      const { kind, at, nodeId, ...rest } = fact;
      return { head: [kind, at, nodeId], rest };
    }
    case 'run_retried': {
      const { kind, at, ...rest } = fact;
      return { head: [kind, at, null], rest };
    }
  }
}

type Fill = (rest: object, refs: readonly BlobRef[]) => SlicedWork<object>;

/** The entries of a row; null for a damaged one. */
function* intact(entries: SlicedWork<JournalEntry[]>): SlicedWork<JournalEntry[] | null> {
  try {
    return yield* entries;
  } catch (error) {
    if (isStorageFailure(error)) throw error;
    return null;
  }
}

function* toEntries(row: JournalRow, fill: Fill, known: KnownValues): SlicedWork<JournalEntry[]> {
  const heads = JSON.parse(row.heads) as Head[];
  const data = JSON.parse(row.data) as object[];
  if (!Array.isArray(heads) || !heads.every(Array.isArray) || !Array.isArray(data)) throw new Damage('The journal');
  const entries: JournalEntry[] = [];
  for (const [index, head] of heads.entries()) {
    const { [index]: rest = {} } = data;
    const refs = head[6];
    const whole = refs === undefined ? rest : yield* fill(rest, refs);
    entries.push({ seq: row.seq + index, fact: putTogether(head, whole) });
    if (known.unparsed > 0) continue;
    known.unparsed = sliceBytes;
    yield;
  }
  return entries;
}

/** Reverses `takeApart`. The shape is the writer's: only this store writes the journal. */
function putTogether([kind, at, nodeId, frame, attempt, durationMs]: Head, rest: object): Journaled {
  switch (kind) {
    case 'step_succeeded':
    case 'step_failed':
      return { kind, nodeId, frame, attempt, at, durationMs, ...rest } as Journaled;
    case 'step_skipped':
      return { kind, nodeId, frame, at } as Journaled;
    case 'step_started':
    case 'step_stopped':
    case 'loop_started':
    case 'calls_opened':
    case 'step_paused':
      return { kind, nodeId, frame, attempt, at, ...rest } as Journaled;
    case 'step_resumed':
      return { kind, nodeId, frame, at, ...rest } as Journaled;
    case 'run_finished':
      return { kind, nodeId, at, ...rest } as Journaled;
    case 'run_retried':
      return { kind, at, ...rest } as Journaled;
  }
}
