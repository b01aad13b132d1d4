import { keyRequest } from '@millrace/contract';
import { type ApiKey, formatInstant, type Instant, type User } from '@millrace/core';
import { createKeys, keyNotFound } from '../services/access/keys.ts';
import type { Store } from '../store/store.ts';
import { type Command, CommandError, onlyWord, optionText } from './command.ts';
import { parsed } from './parsed.ts';
import { table } from './table.ts';
import { allUsers, userNamed } from './users.ts';

const create: Command = {
  name: 'keys create',
  takes: '--user <name> --name <text> [--scope full|webhook] [--expires-at <date>]',
  summary: 'Creates an API key and prints it; it is not shown again.',
  options: {
    user: { type: 'string' },
    name: { type: 'string' },
    scope: { type: 'string' },
    'expires-at': { type: 'string' },
  },
  async run(args, { store, clock, print, note }) {
    const user = await userNamed(store, optionText(args, 'user'));
    const {
      name,
      scope,
      expires_at: expiresAt = null,
    } = parsed(keyRequest, {
      name: optionText(args, 'name'),
      scope: optionText(args, 'scope'),
      expires_at: optionText(args, 'expires-at'),
    });
    const { apiKey, key } = await createKeys({ store, clock }).issue(user, { name, scope, expiresAt, issuedBy: null });
    note(`API key ${apiKey.id} of ${user.username}: store it now, it is not shown again.`);
    print(key);
  },
};

const list: Command = {
  name: 'keys list',
  takes: '[--user <name>]',
  summary: "Lists API keys, all or one user's.",
  options: { user: { type: 'string' } },
  async run(args, { store, print }) {
    const name = optionText(args, 'user');
    const users = name === undefined ? await allUsers(store) : [await userNamed(store, name)];
    const rows = (await keysOf(store, users)).map(({ user, key }) => [
      String(key.id),
      user.username,
      key.name,
      `${key.prefix}…`,
      key.scope,
      dateOf(key.expiresAt, 'never'),
      dateOf(key.lastUsedAt, 'never'),
    ]);
    for (const line of table(['ID', 'USER', 'NAME', 'KEY', 'SCOPE', 'EXPIRES', 'LAST USED'], rows)) print(line);
  },
};

const revoke: Command = {
  name: 'keys revoke',
  takes: '<id>',
  summary: 'Revokes an API key and all that were created with it; a running service rejects them within a second.',
  options: {},
  async run(args, { store, clock, note }) {
    const id = onlyWord(args, 'key');
    const found = (await keysOf(store, await allUsers(store))).find(({ key }) => String(key.id) === id);
    if (found === undefined) throw new CommandError(`${keyNotFound().message} 'keys list' lists all keys.`);
    await createKeys({ store, clock }).revoke(found.user, found.key.id);
    note(`API key ${id} of ${found.user.username} was revoked.`);
  },
};

/** The commands for API keys. */
export const keyCommands: readonly Command[] = [create, list, revoke];

interface OwnedKey {
  readonly user: User;
  readonly key: ApiKey;
}

async function keysOf(store: Pick<Store, 'keys'>, users: readonly User[]): Promise<readonly OwnedKey[]> {
  const found = await Promise.all(users.map(async (user) => ({ user, keys: await store.keys.listOf(user.id) })));
  return found.flatMap(({ user, keys }) => keys.map((key) => ({ user, key })));
}

/** To the minute, which is enough for people. */
function dateOf(at: Instant | null, otherwise: string): string {
  return at === null ? otherwise : formatInstant(at).slice(0, 16).replace('T', ' ');
}
