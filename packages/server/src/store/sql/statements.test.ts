import Database from 'better-sqlite3';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { Connection } from './database/connection.ts';
import { openSqliteStore } from './sqlite.ts';

const prepare = vi.spyOn(Connection.prototype, 'prepare');
const store = openSqliteStore({ path: ':memory:' });
const connection = prepare.mock.contexts[0] as Connection;
const statements = [...new Set(prepare.mock.calls.map(([sql]) => sql))];
prepare.mockRestore();
afterAll(() => store.close());

/** Tables with few rows, or whose rows an administrator's page lists. */
const small = ['migrations', 'users', 'credentials', 'secret_keys'];

const foreignKey = 'the plan contains the check of a foreign key, which only runs while one is violated';
const userDeletion = 'once for each deletion of a user';
const workflowDeletion = 'once for each workflow that leaves the trash';
const keyChange = 'once for each change of the key';

/** Statements that read a whole table, by their beginning, and why they may. */
const allowed: readonly (readonly [beginning: string, reason: string])[] = [
  ['INSERT INTO users', foreignKey],
  ['INSERT INTO workflows', foreignKey],
  ['DELETE FROM collaborators WHERE user_id = ? AND workflow_id IN', userDeletion],
  ['UPDATE workflows SET owner_id', userDeletion],
  [
    'SELECT id FROM api_keys WHERE user_id = ? AND by_login = 1 AND expires_at',
    'once for each login, which takes much longer',
  ],
  ['SELECT EXISTS (SELECT 1 FROM api_keys WHERE by_login = 1)', 'only until somebody has logged in'],
  ['DELETE FROM execution_counts WHERE workflow_id', workflowDeletion],
  ['UPDATE workflows SET error_handler_workflow_id = NULL', workflowDeletion],
  ['DELETE FROM workflows WHERE id', workflowDeletion],
  ['DELETE FROM secret_keys', keyChange],
  ['SELECT EXISTS (SELECT 1 FROM credentials)', 'once for each start'],
  ['SELECT t.node_id AS id, t.workflow_id AS workflowId', 'all triggers of bots, once for each change of one'],
  ['SELECT workflow_id AS workflowId, sum(n) AS ended FROM execution_counts', 'once for each round of retention'],
];

/** A value for each parameter of a statement. */
function parametersOf(sql: string): unknown[] {
  const named = Object.fromEntries([...sql.matchAll(/@(\w+)/g)].map(([, name]) => [name, 1]));
  const positional = [...sql.matchAll(/(MATCH )?\?/g)].map(([, match]) => (match === undefined ? 1 : 'word'));
  return Object.keys(named).length > 0 ? [...positional, named] : positional;
}

/** The tables that a statement reads from beginning to end; SQLite names tables of the statement itself by their aliases. */
function scanned(sql: string): readonly string[] {
  const plan = connection.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, parametersOf(sql));
  return plan.flatMap(({ detail }) => /^SCAN (\w+)$/.exec(detail)?.[1] ?? []);
}

const tables = new Set(
  connection.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'", []).map(({ name }) => name),
);

test('no statement reads all rows of a table that grows with use', () => {
  const found = statements.flatMap((sql) => {
    const whole = scanned(sql).filter((name) => tables.has(name) && !small.includes(name));
    const text = sql.replaceAll(/\s+/g, ' ').trim();
    const isAllowed = allowed.some(([beginning]) => text.startsWith(beginning));
    return whole.length === 0 || isAllowed ? [] : [`${whole.join(', ')}: ${text}`];
  });
  expect(found).toEqual([]);
});

test.each(allowed)('the statement that may read a whole table exists: %s', (beginning) => {
  expect(statements.some((sql) => sql.replaceAll(/\s+/g, ' ').trim().startsWith(beginning))).toBe(true);
});

test('the plan of a statement shows whether it reads a whole table', () => {
  expect(scanned('SELECT * FROM workflows WHERE description = ?')).toEqual(['workflows']);
  expect(scanned('SELECT * FROM workflows WHERE id = ?')).toEqual([]);
  expect(statements.length).toBeGreaterThan(100);
});

/** The fastest of some calls, in nanoseconds: other work on the machine slows down single calls, not all of them. */
function fastest(call: () => void): number {
  const times = Array.from({ length: 60 }, () => {
    const begun = process.hrtime.bigint();
    call();
    return Number(process.hrtime.bigint() - begun);
  });
  return Math.min(...times);
}

/** What it costs to set the parameters of a statement at each call, in nanoseconds. */
function costOfParameters(db: Pick<Database.Database, 'prepare'>, sql: string): number {
  const parameters = parametersOf(sql);
  // SQLite plans the explanation like the statement itself, also again, and a write changes nothing.
  const [each, once] = [db.prepare(`EXPLAIN ${sql}`), db.prepare(`EXPLAIN ${sql}`)];
  once.bind(...parameters);
  return fastest(() => each.get(...parameters)) - fastest(() => once.get());
}

/** Setting a parameter takes 100 to 300 ns, preparing the smallest of the statements again 4,000 to 5,000 ns. */
const againNs = 3000;

/** Measures a statement that seems to be prepared again several times: a busy machine slows down a measurement by chance. */
function isPreparedAgain(sql: string): boolean {
  const explained = { prepare: (text: string) => connection.prepare(text) } as Pick<Database.Database, 'prepare'>;
  const most = againNs + 40 * parametersOf(sql).length;
  return parametersOf(sql).length > 0 && Array.from({ length: 5 }).every(() => costOfParameters(explained, sql) > most);
}

test.each([
  'SELECT',
  'WITH',
  'INSERT',
  'UPDATE',
  'DELETE',
])('no %s is prepared again when its parameters change', (verb) => {
  const found = statements.filter((sql) => sql.trim().startsWith(verb)).filter(isPreparedAgain);
  expect(found).toEqual([]);
});

test('other statements have no parameters', () => {
  const others = statements.filter((sql) => !/^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)\b/.test(sql));
  expect(others).toContain('BEGIN IMMEDIATE');
  expect(others.flatMap(parametersOf)).toEqual([]);
});

test.each([
  'SELECT a.name FROM sqlite_schema a JOIN sqlite_schema b ON b.name = a.name WHERE a.name = ? LIMIT ?',
  'DELETE FROM words WHERE id IN (SELECT id FROM words WHERE word = ? ORDER BY id LIMIT ?)',
  'UPDATE words SET word = ? WHERE id IN (SELECT id FROM words ORDER BY id LIMIT ?)',
  'INSERT INTO words (word) SELECT word FROM words WHERE word = ? ORDER BY id LIMIT ?',
])('a statement with bare parameters would be prepared again: %s', (sql) => {
  const bare = new Database(':memory:');
  onTestFinished(() => void bare.close());
  bare.exec('CREATE TABLE words (id INTEGER PRIMARY KEY, word TEXT); CREATE INDEX words_by_word ON words (word)');
  expect(costOfParameters(bare, sql)).toBeGreaterThan(againNs);
});
