import { type Fact, formatInstant, type JournalEntry, type JsonObject, parseInstant } from '@millrace/core';
import type { Connection } from './connection.ts';

interface JournalRow {
  readonly seq: number;
  readonly kind: Fact['kind'];
  readonly node_id: string | null;
  readonly frame: string | null;
  readonly attempt: number | null;
  readonly at: string;
  readonly duration_ms: number | null;
  readonly data: string | null;
}

/** The journal's table: facts written after the one before, and read back in order. */
export interface Journal {
  insert(executionId: string, seq: number, fact: Fact): void;
  read(executionId: string): JournalEntry[];
}

/** Both statements work on one range of the primary key. */
export function prepareJournal(connection: Connection): Journal {
  const insert = connection.prepare<InsertParams>(
    `INSERT INTO journal (execution_id, seq, kind, node_id, frame, attempt, at, duration_ms, data)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const read = connection.prepare<[string], JournalRow>(
    `SELECT seq, kind, node_id, frame, attempt, at, duration_ms, data FROM journal WHERE execution_id = ? ORDER BY seq`,
  );
  return {
    insert: (executionId, seq, fact) => void insert.run(executionId, seq, ...factParams(fact)),
    read: (executionId) => read.all(executionId).map((row) => ({ seq: row.seq, fact: toFact(row) })),
  };
}

type FactParams = [
  kind: string,
  nodeId: string | null,
  frame: string | null,
  attempt: number | null,
  at: string,
  durationMs: number | null,
  data: string | null,
];
type InsertParams = [executionId: string, seq: number, ...FactParams];

/** Columns for what all kinds share; the rest is one JSON text. */
function factParams(fact: Fact): FactParams {
  const at = formatInstant(fact.at);
  switch (fact.kind) {
    case 'step_succeeded': {
      const { kind, nodeId, frame, attempt, at: _, durationMs, ...rest } = fact;
      return [kind, nodeId, frame, attempt, at, durationMs, JSON.stringify(rest)];
    }
    case 'step_failed': {
      const { kind, nodeId, frame, attempt, at: _, durationMs, ...rest } = fact;
      return [kind, nodeId, frame, attempt, at, durationMs, JSON.stringify(rest)];
    }
    case 'step_skipped':
      return [fact.kind, fact.nodeId, fact.frame, null, at, null, null];
    case 'run_finished': {
      const { kind, nodeId, at: _, ...rest } = fact;
      return [kind, nodeId, null, null, at, null, JSON.stringify(rest)];
    }
  }
}

/** Puts together what `factParams` took apart. The shape is the writer's: only this store writes the journal. */
function toFact(row: JournalRow): Fact {
  const { kind, node_id: nodeId, frame, attempt, duration_ms: durationMs } = row;
  const at = parseInstant(row.at);
  const rest = row.data === null ? {} : (JSON.parse(row.data) as JsonObject);
  switch (kind) {
    case 'step_succeeded':
    case 'step_failed':
      return { kind, nodeId, frame, attempt, at, durationMs, ...rest } as Fact;
    case 'step_skipped':
      return { kind, nodeId, frame, at } as Fact;
    case 'run_finished':
      return { kind, nodeId, at, ...rest } as Fact;
  }
}
