import { newUser, passwordChange } from '@millrace/contract';
import { formatInstant, type User } from '@millrace/core';
import { createUsers } from '../services/access/users.ts';
import type { Store } from '../store/store.ts';
import { type Command, CommandError, type CommandPorts, onlyWord } from './command.ts';
import { parsed } from './parsed.ts';
import { table } from './table.ts';

const passwordOption = { 'password-stdin': { type: 'boolean' } } as const;

const create: Command = {
  name: 'users create',
  takes: '<name> [--admin] [--password-stdin]',
  summary: 'Creates a user, with a password from standard input or without one.',
  options: { admin: { type: 'boolean' }, ...passwordOption },
  async run(args, ports) {
    const password = args.options['password-stdin'] === true ? await passwordFrom(ports) : null;
    const { username, is_admin: isAdmin } = parsed(newUser, {
      username: onlyWord(args, 'user'),
      password,
      is_admin: args.options.admin === true,
    });
    const user = await createUsers(ports).create({ username, password, isAdmin });
    const hint =
      password === null
        ? ` The user has no password: create an API key with 'keys create --user ${username} --name <text>'.`
        : '';
    ports.note(`${user.isAdmin ? 'Admin' : 'User'} ${user.username} was created.${hint}`);
  },
};

const list: Command = {
  name: 'users list',
  takes: '',
  summary: 'Lists users.',
  options: {},
  async run(_args, { store, print }) {
    const rows = (await allUsers(store)).map(({ username, isAdmin, createdAt }) => [
      username,
      isAdmin ? 'admin' : 'user',
      formatInstant(createdAt).slice(0, 10),
    ]);
    for (const line of table(['NAME', 'ROLE', 'SINCE'], rows)) print(line);
  },
};

const password: Command = {
  name: 'users password',
  takes: '<name> --password-stdin',
  summary: 'Sets the password of a user from standard input; this revokes the keys created by logging in.',
  options: passwordOption,
  async run(args, ports) {
    if (args.options['password-stdin'] !== true)
      throw new CommandError('Send the password on standard input, with --password-stdin.');
    const user = await userNamed(ports.store, onlyWord(args, 'user'));
    const given = parsed(passwordChange, { password: await passwordFrom(ports) });
    await createUsers(ports).update(user, { password: given.password });
    ports.note(`${user.username} has a new password.`);
  },
};

/** The commands for users. */
export const userCommands: readonly Command[] = [create, list, password];

/** The user with this name. @throws CommandError */
export async function userNamed(store: Pick<Store, 'users'>, name: string | undefined): Promise<User> {
  if (name === undefined) throw new CommandError('Name the user with --user <name>.');
  const user = await store.users.byUsername(name);
  if (user === null) throw new CommandError(`User '${name}' not found. 'users list' lists all users.`);
  return user;
}

const pageSize = 1000;

/** All users, oldest first. */
export async function allUsers(store: Pick<Store, 'users'>): Promise<readonly User[]> {
  const users: User[] = [];
  for (;;) {
    const { items, total } = await store.users.list({ limit: pageSize, offset: users.length });
    users.push(...items);
    if (items.length === 0 || users.length >= total) return users.reverse();
  }
}

/** The first line: the newline that an editor or `echo` adds is not part of a password. */
async function passwordFrom({ readInput }: Pick<CommandPorts, 'readInput'>): Promise<string> {
  return (await readInput()).split(/\r?\n/, 1)[0] ?? '';
}
