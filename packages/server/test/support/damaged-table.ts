import { closeSync, openSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';

const pageBytes = 4096;

/** Overwrites the first page of a table with zeros. No service may use the file. */
export function damageTable(file: string, table: string): void {
  const db = new Database(file, { readonly: true });
  const query = 'SELECT rootpage FROM sqlite_schema WHERE name = ?';
  const page = db.prepare<[string], number>(query).pluck().get(table);
  db.close();
  if (page === undefined) throw new Error(`there is no table ${table}`);
  const opened = openSync(file, 'r+');
  writeSync(opened, Buffer.alloc(pageBytes), 0, pageBytes, (page - 1) * pageBytes);
  closeSync(opened);
}
