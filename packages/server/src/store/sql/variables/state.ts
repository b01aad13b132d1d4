import type { StateStore } from '../../state.ts';
import type { Connection } from '../database/connection.ts';
import type { Writer } from '../database/writer.ts';
import { prepareStateTable } from './state-table.ts';

/** The verbs of state on SQLite. */
export function stateStore(connection: Connection, writer: Writer): StateStore {
  const table = prepareStateTable(connection);
  return {
    read: ({ workflowId, at, ...key }) =>
      connection.read(() => {
        const space = table.spaceOf(workflowId, key);
        const entry = space === undefined ? null : table.read(space);
        return entry !== null && entry.expiresAt !== null && entry.expiresAt <= at ? null : entry;
      }),
    write: ({ workflowId, value, at, ...key }) =>
      writer.submit(() => {
        const space = table.spaceOf(workflowId, key);
        if (space !== undefined) table.write(space, { value, expiresAt: null }, at);
      }),
    remove: ({ workflowId, at, ...key }) =>
      writer.submit(() => {
        const space = table.spaceOf(workflowId, key);
        if (space !== undefined) table.write(space, null, at);
      }),
  };
}
