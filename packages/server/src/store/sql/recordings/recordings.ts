import { type JsonObject, type SlicedWork, writtenJson } from '@millrace/core';
import { slices } from '../../../ground/slices.ts';
import type { Recording, RecordingStore, RecordingSummary, StoredExchange } from '../../recordings.ts';
import type { Bit } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';
import type { Writer } from '../database/writer.ts';
import { prepareAddExchange, prepareUseExchange } from './exchange-rows.ts';

/** The SQLite store of recordings. */
export function recordingStore(connection: Connection, writer: Writer): RecordingStore {
  const add = prepareAddExchange(connection);
  const use = prepareUseExchange(connection);
  const find = prepareFind(connection);
  const read = prepareRead(connection, find);
  return {
    async add({ id, step, exchange: { kind, entry } }) {
      const text = await slices.finish(writtenJson(entry));
      await writer.submit(() => add(id, step, { kind, text }));
    },
    find,
    read: (id) => connection.readInSlices(read(id)),
    use: ({ id, step, positions }) => writer.submit(() => use(id, step, positions)),
  };
}

interface RecordingRow {
  readonly is_given: Bit;
  readonly is_cut: Bit;
  readonly bytes: number;
}

/** Characters of entries that are parsed before other requests are served: about a millisecond. */
const charactersAtOnce = 100_000;

function prepareFind(connection: Connection) {
  const find = connection.prepare<[string], RecordingRow>(
    'SELECT is_given, is_cut, bytes FROM recordings WHERE execution_id = ?',
  );
  const workflows = connection
    .prepare<[string], number>(
      'SELECT DISTINCT step_workflow_id FROM exchanges WHERE recording_id = ? AND step_workflow_id IS NOT NULL',
    )
    .pluck();
  return (id: string): RecordingSummary | null => {
    const row = find.get(id);
    if (row === undefined) return null;
    const { is_given: given, is_cut: cut, bytes } = row;
    return { isGiven: given === 1, isCut: cut === 1, workflowIds: workflows.all(id), bytes };
  };
}

function prepareRead(connection: Connection, find: (id: string) => RecordingSummary | null) {
  const positions = connection
    .prepare<[string], number>('SELECT position FROM exchanges WHERE recording_id = ? ORDER BY position')
    .pluck();
  const exchange = connection.prepare<[string, number], { readonly kind: string; readonly entry: string }>(
    'SELECT kind, entry FROM exchanges WHERE recording_id = ? AND position = ?',
  );
  return function* (id: string): SlicedWork<Recording | null> {
    const summary = find(id);
    if (summary === null) return null;
    const exchanges: StoredExchange[] = [];
    let characters = 0;
    for (const position of positions.all(id)) {
      const found = exchange.get(id, position);
      // It was replaced meanwhile, by the same step.
      if (found === undefined) continue;
      exchanges.push({ position, kind: found.kind, entry: JSON.parse(found.entry) as JsonObject });
      characters += found.entry.length;
      if (characters < charactersAtOnce) continue;
      characters = 0;
      yield;
    }
    return { ...summary, exchanges };
  };
}
