import { part } from './row.ts';

/** Authentication, users and keys: the specification, and the additions of the interface. */
export const accessRows = [
  part('Authentication', 'spec.auth', [
    [
      'bearer',
      'workflow, edge and credential endpoints need `Authorization: Bearer`',
      'auth: with a key is authenticated as the user of the key',
      'matrix: %s the response that its declaration promises, and readers change nothing',
    ],
    [
      'webhook',
      'the webhook accepts the header or `?api_key=`',
      'webhooks.accept: may be in the query',
      'auth: does not accept the key in the query',
    ],
    [
      'webhook.failed',
      'a webhook request with failed authentication: 401',
      'webhooks.accept: that is %s is rejected with the same message',
    ],
    [
      'list',
      'the workflow list is limited to what the caller owns or collaborates on',
      'workflows.read: shows and counts only the caller’s workflows, not public ones of others',
      'collaborators: finds the workflow in their list, unlike a user who can only read it because it is public',
    ],
  ]),
  part('Authentication and users: additions of the interface', 'interface.users', [
    [
      'first-start',
      'the first start creates `admin` and a key, printed once and stored in `admin.key` (0600)',
      'process/start: creates a key that only its owner may read, prints it once, prints a line that runs the example, and lists no workflow',
    ],
    [
      'me',
      '`GET /api/v1/auth/me/`',
      'auth: with a key is authenticated as the user of the key',
      'users: can read their own data',
    ],
    [
      'token',
      '`POST /api/v1/auth/token/` returns a key for a password',
      'users: returns a key for a week with the rights of the user',
      'users: fails with the same message for a wrong password, an unknown user, and one without a password',
    ],
    [
      'list',
      '`GET /api/v1/users/`, for admins',
      'users: are listed by an admin, newest first',
      'users: are not accessible without the admin role, whether they exist or not',
    ],
    ['create', '`POST /api/v1/users/`, for admins', 'users: are created by an admin, with a password or without'],
    [
      'update',
      '`PATCH /api/v1/users/{username}/`, for admins',
      'users: may give another user the admin role and remove it, with effect from the next request',
      'users: works with a new password set by an admin',
    ],
    [
      'delete',
      '`DELETE /api/v1/users/{username}/`, for admins',
      'users: takes effect at once, and makes the name available again',
      'users: transfers their workflows and runs to the admin, and stops nothing',
    ],
    [
      'passwords',
      'passwords: scrypt',
      'server/src/secrets/password: matches only its own hash, which does not contain it',
      'server/src/cli/commands: can be created with a password from the first line of input, or without one',
    ],
    [
      'cli',
      '`millrace keys create|list|revoke`, `millrace users create`',
      'server/src/cli/commands: can be created, and only the key is the result, for scripts',
      'server/src/cli/commands: are listed, and no longer listed after they are revoked',
      'process/command-line: a key created by a command works at once in the running service, and is revoked within a second',
    ],
    [
      'keys.list',
      '`GET …/users/me/keys/`',
      'keys: lists the caller’s own keys, newest first, with the time of their last use',
    ],
    [
      'keys.create',
      '`POST …/users/me/keys/` `{name, expires_at?}`: shown once',
      'keys: creates a key, shown once, that works at once',
      'keys: creates keys that expire',
    ],
    ['keys.revoke', '`DELETE …/keys/{id}/` revokes at once', 'keys: revokes it for the very next request'],
    [
      'keys.form',
      'keys are `mr_` and 43 characters, stored as SHA-256',
      'keys: creates a key, shown once, that works at once',
      'process/start: stores no key in plain text',
    ],
    [
      'keys.scopes',
      'a webhook key can do nothing else',
      'webhooks.accept: may be restricted to webhooks',
      'auth: with a key that may only call webhooks is rejected with a reason',
    ],
    [
      'matrix',
      'every endpoint is checked for every role',
      'matrix: has a declaration of every endpoint',
      'matrix: %s the response that its declaration promises, and readers change nothing',
    ],
    ['foreign', 'objects of other users look like missing ones', 'matrix: %s, for every method and body'],
  ]),
];
