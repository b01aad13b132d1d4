import { part } from './row.ts';

/** Accounts: users, passwords, logins, and the command line. */
export const userRows = [
  part('Accounts', 'interface.accounts', [
    ['list', '`GET /api/v1/users/` for admins', 'users: are listed by an admin, newest first'],
    ['create', '`POST /api/v1/users/` for admins', 'users: are created by an admin, with a password or without'],
    [
      'admins',
      'only admins manage users',
      'users: are not accessible without the admin role, whether they exist or not',
    ],
    [
      'update',
      '`PATCH …/users/{username}/`',
      'users: may give another user the admin role and remove it, with effect from the next request',
    ],
    ['delete', '`DELETE …/users/{username}/`', 'users: takes effect at once, and makes the name available again'],
    [
      'token',
      '`POST /api/v1/auth/token/` returns a key for a password',
      'users: returns a key for a week with the rights of the user',
      'users: fails with the same message for a wrong password, an unknown user, and one without a password',
    ],
    [
      'passwords',
      'passwords are hashed with scrypt',
      'server/src/secrets/password: matches only its own hash, which does not contain it',
    ],
    [
      'cli.keys',
      '`millrace keys create|list|revoke`',
      'server/src/cli/commands: can be created, and only the key is the result, for scripts',
      'server/src/cli/commands: are listed, and no longer listed after they are revoked',
    ],
    [
      'cli.users',
      '`millrace users create`',
      'server/src/cli/commands: can be created with a password from the first line of input, or without one',
    ],
  ]),
];
