import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection } from './connection.ts';
import { blockOfRows, wordBlockFunction } from './word-block.ts';

/** The database was written by a newer Millrace with tables that this one cannot read. The message is one line. */
export class NewerDatabase extends Error {
  constructor(found: number, known: number) {
    super(
      `The database is at version ${found}, and this Millrace supports versions up to ${known}: ` +
        'start the newer Millrace again, or restore a backup from before the upgrade.',
    );
    this.name = 'NewerDatabase';
  }
}

/** The database is damaged and was written by an older Millrace: upgrading it could destroy more. */
export class DamagedOldDatabase extends Error {
  constructor() {
    super(
      'The file of the database is damaged, and an older Millrace wrote it, so it is not upgraded: ' +
        'restore a backup or recover the data, see docs/storage.md.',
    );
    this.name = 'DamagedOldDatabase';
  }
}

/** One numbered migration step of the schema. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

/** The steps in order: `000001-start.sql` and so on. */
export function sqliteMigrations(): readonly Migration[] {
  const folder = join(import.meta.dirname, '../../migrations/sqlite');
  return readdirSync(folder)
    .filter((file) => /^\d{6}-.*\.sql$/.test(file))
    .sort()
    .map((file) => ({
      number: Number(file.slice(0, 6)),
      name: file.slice(7, -'.sql'.length),
      sql: readFileSync(join(folder, file), 'utf8'),
    }));
}

/** Brings the database up to date, with one transaction for each step. */
export function migrate(connection: Connection, migrations: readonly Migration[]): void {
  connection.script(migrationsTable);
  connection.define(wordBlockFunction, blockOfRows);
  for (const migration of missing(connection, migrations)) apply(connection, migration);
}

/** For a database that must not be written. @throws DamagedOldDatabase if it is not up to date */
export function requireUpToDate(connection: Connection, migrations: readonly Migration[]): void {
  if (missing(connection, migrations).length > 0) throw new DamagedOldDatabase();
}

/** Every missing step, not only those above the newest: steps are written in parallel and may be merged in any order. */
function missing(connection: Connection, migrations: readonly Migration[]): readonly Migration[] {
  const found = connection.prepare<[], { number: number }>('SELECT number FROM migrations');
  const applied = new Set(found.all().map(({ number }) => number));
  const newest = Math.max(0, ...applied);
  const known = migrations.at(-1)?.number ?? 0;
  if (newest > known) throw new NewerDatabase(newest, known);
  return migrations.filter(({ number }) => !applied.has(number));
}

function apply(connection: Connection, { number, name, sql }: Migration): void {
  connection.script('BEGIN IMMEDIATE');
  try {
    connection.script(sql);
    connection.prepare<[number, string]>(recordMigration).run(number, name);
    connection.script('COMMIT');
  } catch (error) {
    connection.script('ROLLBACK');
    throw error;
  }
}

const migrationsTable = `CREATE TABLE IF NOT EXISTS migrations (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  applied_at TEXT NOT NULL
) STRICT`;

// SQLite's clock has milliseconds; three zeros give the form of all other timestamps.
const recordMigration = `INSERT INTO migrations (number, name, applied_at) VALUES (?, ?, strftime('%Y-%m-%dT%H:%M:%f000', 'now'))`;
