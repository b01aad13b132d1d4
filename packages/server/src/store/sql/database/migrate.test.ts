import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSqliteStore } from '../sqlite.ts';
import { prepareRunVariables } from '../variables/run-variables.ts';
import { Connection } from './connection.ts';
import { type Migration, migrate, NewerDatabase, sqliteMigrations } from './migrate.ts';

const steps: readonly Migration[] = [
  { number: 1, name: 'first', sql: 'CREATE TABLE a (x INTEGER)' },
  { number: 2, name: 'second', sql: 'CREATE TABLE b (y INTEGER); INSERT INTO a VALUES (1)' },
];

describe('migrating', () => {
  let connection: Connection;
  beforeEach(() => {
    connection = new Connection(':memory:');
  });
  afterEach(() => connection.close());
  const applied = () =>
    connection.all<{ name: string }>('SELECT name FROM migrations ORDER BY number', []).map((row) => row.name);

  test('applies each new step once, in order', () => {
    migrate(connection, steps.slice(0, 1));
    expect(applied()).toEqual(['first']);
    migrate(connection, steps);
    migrate(connection, steps);
    expect(applied()).toEqual(['first', 'second']);
    expect(connection.all('SELECT x FROM a', [])).toEqual([{ x: 1 }]);
  });

  test('a step that fails leaves no trace, and the steps before it remain', () => {
    const broken = { number: 2, name: 'broken', sql: 'CREATE TABLE b (y INTEGER); INSERT INTO nowhere VALUES (1)' };
    expect(() => migrate(connection, [...steps.slice(0, 1), broken])).toThrow('nowhere');
    expect(applied()).toEqual(['first']);
    migrate(connection, steps);
    expect(applied()).toEqual(['first', 'second']);
  });

  test('a database of a newer version is rejected in one line and not changed', () => {
    migrate(connection, steps);
    const attempt = () => migrate(connection, steps.slice(0, 1));
    expect(attempt).toThrow(NewerDatabase);
    expect(attempt).toThrow(/^The database is at version 2, and this Millrace supports versions up to 1: .*\.$/);
    expect(applied()).toEqual(['first', 'second']);
  });

  test('a step that was inserted between others is applied too', () => {
    migrate(
      connection,
      steps.slice(1).map((step) => ({ ...step, sql: 'CREATE TABLE b (y INTEGER)' })),
    );
    migrate(connection, steps);
    expect(applied()).toEqual(['first', 'second']);
  });

  test('each step has a unique number, starting at 1', () => {
    const numbers = sqliteMigrations().map(({ number }) => number);
    expect(numbers[0]).toBe(1);
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  // After a new migration: npx vitest run packages/server/src/store/sql/database/migrate.test.ts -u
  test('the steps together produce the committed schema', async () => {
    migrate(connection, sqliteMigrations());
    const objects = connection.all<{ sql: string }>(
      `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY type DESC, name`,
      [],
    );
    const schema = objects.map(({ sql }) => `${sql};\n`).join('\n');
    await expect(schema).toMatchFileSnapshot('../../migrations/sqlite/schema.sql');
  });
});

describe('data stored earlier', () => {
  test('for an agent: its question is renamed to input, and everything else is unchanged', () => {
    const connection = new Connection(':memory:');
    const all = sqliteMigrations();
    migrate(
      connection,
      all.filter(({ number }) => number < 46),
    );
    connection.script(`
      INSERT INTO users (id, username, is_admin, created_at) VALUES (1, 'u', 0, '');
      INSERT INTO workflows (id, owner_id, name, slug, description, is_active, is_public, is_default, max_execution_seconds, created_at, updated_at)
        VALUES (1, 1, 'w', 'w', '', 1, 0, 0, 900, '', '')`);
    const insert = connection.prepare<[string, string, string]>(
      `INSERT INTO nodes (workflow_id, node_id, component_type, is_entry_point, interrupt_before, interrupt_after, position_x,
         position_y, config, updated_at) VALUES (1, ?, ?, 0, 0, 0, 0, 0, ?, '')`,
    );
    const old = '{"temperature":0.5,"extra_config":{"prompt":"Say \\"hi\\""}}';
    insert.run('asks', 'agent', old);
    insert.run('listens', 'agent', '{"extra_config":{}}');
    insert.run('other', 'human_confirmation', old);
    migrate(connection, all);
    const configs = connection.all<{ config: string }>('SELECT config FROM nodes ORDER BY id', []);
    expect(configs.map(({ config }) => JSON.parse(config))).toEqual([
      { temperature: 0.5, extra_config: { input: 'Say "hi"' } },
      { extra_config: {} },
      JSON.parse(old),
    ]);
    connection.close();
  });
});

describe('opening', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-open-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('a database of a newer Millrace is rejected', async () => {
    const path = join(folder, 'millrace.db');
    await openSqliteStore({ path }).close();
    const db = new Database(path);
    db.exec(`INSERT INTO migrations (number, name, applied_at) VALUES (999999, 'future', '')`);
    db.close();
    expect(() => openSqliteStore({ path })).toThrow(NewerDatabase);
  });

  test('a commit is on disk before it is acknowledged, and the log does not stay large', () => {
    // Opened a second time: SQLite uses its weaker default for a file that is already in WAL mode.
    new Connection(join(folder, 'millrace.db')).close();
    const connection = new Connection(join(folder, 'millrace.db'));
    const pragma = (name: string) =>
      Object.values(connection.all<Record<string, unknown>>(`PRAGMA ${name}`, [])[0] ?? {})[0];
    const fullSync = 2;
    expect(pragma('synchronous')).toBe(fullSync);
    expect(pragma('journal_mode')).toBe('wal');
    expect(pragma('foreign_keys')).toBe(1);
    expect(pragma('journal_size_limit')).toBe(67_108_864);
    connection.close();
  });
});

describe('variables of runs stored earlier', () => {
  const values = {
    yes: true,
    no: false,
    none: null,
    text: 'a "b"',
    list: [1, [true]],
    map: { a: { b: null } },
    n: 1e300,
    i: -5,
  };

  test('keep their values and types, and equal ones are stored once', () => {
    const connection = new Connection(':memory:');
    const all = sqliteMigrations();
    migrate(
      connection,
      all.filter(({ number }) => number < 70),
    );
    connection.script('PRAGMA foreign_keys = OFF');
    const insert = connection.prepare<[string, string]>('INSERT INTO run_variables VALUES (?, ?)');
    const first = { values, secrets: ['key'] };
    insert.run('a', JSON.stringify(first));
    insert.run('b', JSON.stringify(first));
    insert.run('c', JSON.stringify({ values: { yes: 1, text: 'a "b"' }, secrets: [] }));
    migrate(connection, all);
    const read = prepareRunVariables(connection, new Map());
    const seen = ['a', 'b', 'c'].map((executionId) => read({ executionId, workflowId: 1, names: null }));
    expect(seen.map(({ variables }) => variables)).toEqual([
      first,
      first,
      { values: { yes: 1, text: 'a "b"' }, secrets: [] },
    ]);
    expect(connection.all('SELECT count(*) AS n FROM variable_versions', [])).toEqual([{ n: 9 }]);
    connection.close();
  });
});
