import { Problem } from '@millrace/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../ground/config.ts';
import { createPasswords } from '../secrets/password.ts';
import { hashOfKey } from '../services/access/api-key.ts';
import { openSqliteStore } from '../store/sql/sqlite.ts';
import type { Store } from '../store/store.ts';
import { CommandError } from './command.ts';
import { callOf, help, problemText } from './commands.ts';

const now = Date.UTC(2026, 0, 5, 10);

let store: Store;
beforeEach(async () => {
  store = openSqliteStore({ path: ':memory:' });
  await store.users.insert({ username: 'admin', isAdmin: true, at: now });
});
afterEach(() => store.close());

/** What a command printed. */
interface Printed {
  readonly out: readonly string[];
  readonly notes: readonly string[];
}

async function run(line: string, input = ''): Promise<Printed> {
  const call = callOf(line.split(' '));
  if (call === null) return { out: help().split('\n'), notes: [] };
  const clock = { now: () => now, monotonic: () => now };
  // A thousandth of the real cost of a hash.
  const passwords = createPasswords({ log2N: 5, r: 8, p: 1 });
  const printed = { out: [] as string[], notes: [] as string[] };
  if (call.command.needs !== undefined) throw new Error('needs no open database');
  await call.command.run(call.args, {
    config: readConfig({}),
    store,
    databaseFile: '',
    clock,
    passwords,
    withLock: (_path, action) => action(),
    readInput: () => Promise.resolve(input),
    print: (result) => void printed.out.push(result),
    note: (words) => void printed.notes.push(words),
  });
  return printed;
}

/** The message for a command line that is invalid. */
function complaint(line: string): Promise<string> {
  return run(line).then(
    () => 'it was done',
    (error: unknown) => {
      if (error instanceof Problem) return problemText(error);
      if (error instanceof CommandError) return error.message;
      throw error;
    },
  );
}

describe('keys', () => {
  it('can be created, and only the key is the result, for scripts', async () => {
    const { out, notes } = await run('keys create --user admin --name ci --scope webhook --expires-at 2026-02-01');
    expect(out).toEqual([expect.stringMatching(/^mr_[\w-]{43}$/)]);
    expect(notes).toEqual(['API key 1 of admin: store it now, it is not shown again.']);
    expect((await store.keys.byHash(hashOfKey(out[0] ?? '')))?.key).toMatchObject({
      name: 'ci',
      scope: 'webhook',
      expiresAt: Date.UTC(2026, 1, 1),
    });
  });

  it('are listed, and no longer listed after they are revoked', async () => {
    await run('keys create --user admin --name first');
    await run('users create worker');
    await run('keys create --user worker --name second --expires-at 2026-02-01');
    const { out } = await run('keys list');
    expect(out.map((line) => line.split(/ {2,}/).filter((_cell, column) => column !== 3))).toEqual([
      ['ID', 'USER', 'NAME', 'SCOPE', 'EXPIRES', 'LAST USED'],
      ['1', 'admin', 'first', 'full', 'never', 'never'],
      ['2', 'worker', 'second', 'full', '2026-02-01 00:00', 'never'],
    ]);
    expect((await run('keys list --user worker')).out).toHaveLength(2);
    expect((await run('keys revoke 1')).notes).toEqual(['API key 1 of admin was revoked.']);
    expect((await run('keys list')).out).toHaveLength(2);
  });
});

describe('users', () => {
  it('can be created with a password from the first line of input, or without one', async () => {
    await run('users create Chris --admin --password-stdin', 'a long password\nand more');
    expect((await store.users.passwordOf('chris'))?.hash).toMatch(/^scrypt\$/);
    const { notes } = await run('users create worker');
    expect(notes).toEqual([
      "User worker was created. The user has no password: create an API key with 'keys create --user worker --name <text>'.",
    ]);
    expect((await run('users list')).out).toEqual([
      'NAME    ROLE   SINCE',
      'admin   admin  2026-01-05',
      'Chris   admin  2026-01-05',
      'worker  user   2026-01-05',
    ]);
  });

  it('can get a new password', async () => {
    await run('users password admin --password-stdin', 'another password');
    expect((await store.users.passwordOf('admin'))?.hash).toMatch(/^scrypt\$/);
  });
});

it('help lists every command with its arguments', async () => {
  expect((await run('help')).out).toContain(
    '  keys create --user <name> --name <text> [--scope full|webhook] [--expires-at <date>]',
  );
});

describe('an invalid command line', () => {
  it.each([
    ['keys', "Unknown command 'keys'. Commands: users create,"],
    ['keys create --name x', 'Name the user with --user <name>.'],
    ['keys create --user nobody --name x', "User 'nobody' not found. 'users list' lists all users."],
    ['keys create --user admin', 'name Field required'],
    ['keys create --user admin --name x --scope all', 'scope '],
    ['keys create --user admin --name x --expires-at 2025-01-01', 'expires_at must be in the future'],
    ['keys create --user admin --name x --colour red', "'--colour'"],
    ['keys revoke', 'Say which key.'],
    ['keys revoke 999', "API key not found. 'keys list' lists all keys."],
    ['keys revoke 1 2', "Only one key is allowed: remove '2'."],
    ['users create admin', "User 'admin' already exists."],
    ['users create me', 'username is a reserved word'],
    ['users create x --password-stdin', 'password must have at least 10 characters'],
    ['users password admin', 'Send the password on standard input, with --password-stdin.'],
  ])('%j gets an error with the reason', async (line, words) => {
    expect(await complaint(line)).toContain(words);
  });
});
