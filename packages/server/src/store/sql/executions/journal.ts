import { type Instant, type JournalEntry, type Json, jsonSize } from '@millrace/core';
import type { Connection } from '../database/connection.ts';
import { Damage, isStorageFailure } from '../database/failures.ts';
import { type BlobRef, type Blobs, largeValue } from './blobs.ts';

type Journaled = JournalEntry['fact'];

interface JournalRow {
  readonly seq: number;
  readonly heads: string;
  readonly data: string;
}

/** The journal's table: appends facts and reads them in order. */
export interface Journal {
  /** @param seq of the first fact */
  insert(executionId: string, seq: number, facts: readonly Journaled[]): void;
  read(executionId: string): JournalEntry[];
  /** The same without the damaged parts. */
  readable(executionId: string): ReadableJournal;
}

/** The readable part of a journal. */
interface ReadableJournal {
  readonly entries: JournalEntry[];
  readonly isWhole: boolean;
}

/**
 * The facts of one append are one row: they became true together, and a row for each would cost several times as much.
 * `heads` holds what happened where; `data` holds what people search: outputs, errors and all else.
 */
export function prepareJournal(connection: Connection, blobs: Blobs): Journal {
  const insert = connection.prepare<[string, number, string, string]>(
    'INSERT INTO journal (execution_id, seq, heads, data) VALUES (?, ?, ?, ?)',
  );
  const read = connection.prepare<[string], JournalRow>(
    'SELECT seq, heads, data FROM journal WHERE execution_id = ? ORDER BY seq',
  );
  return {
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
    read(executionId) {
      const known = new Map<string, Json>();
      return read.all(executionId).flatMap((row) => toEntries(row, (rest, refs) => blobs.fill(rest, refs, known)));
    },
    readable(executionId) {
      const known = new Map<string, Json>();
      const rows = read.all(executionId);
      const parts = rows.map((row) => readableEntries(row, (rest, refs) => blobs.fill(rest, refs, known)));
      return { entries: parts.flatMap((part) => part ?? []), isWhole: !parts.includes(null) };
    },
  };

  /** Something is large: its large values are stored separately. */
  function insertCut(
    executionId: string,
    seq: number,
    facts: { heads: readonly Head[]; data: readonly object[] },
  ): void {
    const cuts = facts.data.map((rest) => blobs.cut(executionId, rest));
    const heads = facts.heads.map((head, index): Head => {
      const { refs = [] } = cuts[index] ?? {};
      const [kind, at, nodeId, frame, attempt, durationMs] = head;
      return refs.length === 0 ? head : [kind, at, nodeId, frame, attempt, durationMs, refs];
    });
    const data = cuts.map(({ rest }) => rest);
    insert.run(executionId, seq, JSON.stringify(heads), JSON.stringify(data));
  }
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

type Fill = (rest: object, refs: readonly BlobRef[]) => object;

/** The entries of a row; null for a damaged one. */
function readableEntries(row: JournalRow, fill: Fill): JournalEntry[] | null {
  try {
    return toEntries(row, fill);
  } catch (error) {
    if (isStorageFailure(error)) throw error;
    return null;
  }
}

function toEntries(row: JournalRow, fill: Fill): JournalEntry[] {
  const heads = JSON.parse(row.heads) as Head[];
  const data = JSON.parse(row.data) as object[];
  if (!Array.isArray(heads) || !heads.every(Array.isArray) || !Array.isArray(data)) throw new Damage('The journal');
  return heads.map((head, index) => {
    const { [index]: rest = {} } = data;
    const refs = head[6];
    return { seq: row.seq + index, fact: putTogether(head, refs === undefined ? rest : fill(rest, refs)) };
  });
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
