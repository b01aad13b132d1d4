import { formatInstant } from '@millrace/core';
import type { WorkflowTextStore } from '../../workflow-texts.ts';
import type { Connection } from '../database/connection.ts';
import type { Writer } from '../database/writer.ts';

/** The SQLite store of the texts of workflows. */
export function workflowTextStore(connection: Connection, writer: Writer): WorkflowTextStore {
  const find = connection.prepare<[number], { text: string }>('SELECT text FROM workflow_texts WHERE workflow_id = ?');
  const put = connection.prepare<[string, string, number]>(
    `INSERT INTO workflow_texts (text, updated_at, workflow_id) SELECT ?, ?, id FROM workflows WHERE id = ?
     ON CONFLICT DO UPDATE SET text = excluded.text, updated_at = excluded.updated_at`,
  );
  return {
    read: (workflowId) => connection.read(() => find.get(workflowId)?.text ?? null),
    write: ({ workflowId, text, at }) => writer.submit(() => void put.run(text, formatInstant(at), workflowId)),
  };
}
