import { part } from './row.ts';

/** Accounts: users, passwords, logins, and the command line. */
export const userRows = [
  part('Accounts', 'interface.accounts', [
    ['list', '`GET /api/v1/users/` for admins', 'users: are listed by an admin, newest first'],
    ['create', '`POST /api/v1/users/` for admins', 'users: are made by an admin, with a password or without'],
    [
      'admins',
      'only admins manage users',
      'users: are none of the business of who is no admin, whether they exist or not',
    ],
    [
      'update',
      '`PATCH …/users/{username}/`',
      'users: may make another user one, from their very next request on, and end it again',
    ],
    ['delete', '`DELETE …/users/{username}/`', 'users: is out at once, and the name is free for somebody else'],
    [
      'token',
      '`POST /api/v1/auth/token/` gives a key for a password',
      'users: gives a key for a week that does what the user may',
      'users: fails in the same words for a wrong password, an unknown user, and one without a password',
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
