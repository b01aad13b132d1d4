import { part } from './row.ts';

/** Authentication, users and keys: the specification, and what the interface adds. */
export const accessRows = [
  part('Authentication', 'spec.auth', [
    [
      'bearer',
      'workflow, edge and credential endpoints need `Authorization: Bearer`',
      'auth: with a key is answered as its user',
      'matrix: %s what its row says',
    ],
    [
      'webhook',
      'the webhook takes the header or `?api_key=`',
      'webhooks.accept: may stand in the query',
      'auth: does not take the key from the query',
    ],
    [
      'webhook.failed',
      'a webhook request with failed authentication: 401',
      'webhooks.accept: that is %s is refused in the same words',
    ],
    [
      'list',
      'the workflow list is limited to what the caller owns or collaborates on',
      'workflows.read: shows and counts only what is the caller’s, public ones of others not either',
      'collaborators: finds the workflow in their list, unlike somebody to whom it is only public',
    ],
  ]),
  part('Authentication and users, what the interface adds', 'interface.users', [
    [
      'first-start',
      'the first start makes `admin` and a key, printed once and kept in `admin.key` (0600)',
      'process/start: creates a key that only its owner may read, prints it once, prints a line that runs the example, and lists no workflow',
    ],
    ['me', '`GET /api/v1/auth/me/`', 'auth: with a key is answered as its user', 'users: see themselves'],
    [
      'token',
      '`POST /api/v1/auth/token/` gives a key for a password',
      'users: gives a key for a week that does what the user may',
      'users: fails in the same words for a wrong password, an unknown user, and one without a password',
    ],
    [
      'list',
      '`GET /api/v1/users/`, for admins',
      'users: are listed by an admin, newest first',
      'users: are none of the business of who is no admin, whether they exist or not',
    ],
    ['create', '`POST /api/v1/users/`, for admins', 'users: are made by an admin, with a password or without'],
    [
      'update',
      '`PATCH /api/v1/users/{username}/`, for admins',
      'users: may make another user one, from their very next request on, and end it again',
      'users: works with the password that an admin gave anew',
    ],
    [
      'delete',
      '`DELETE /api/v1/users/{username}/`, for admins',
      'users: is out at once, and the name is free for somebody else',
      'users: leaves their workflows and runs to the admin, and nothing stops',
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
      'process/command-line: a key that a command made is good at once for the running service, and revoked within a second',
    ],
    [
      'keys.list',
      '`GET …/users/me/keys/`',
      'keys: lists the caller’s own keys, newest first, with when they were last used',
    ],
    [
      'keys.create',
      '`POST …/users/me/keys/` `{name, expires_at?}`: shown once',
      'keys: makes a key, shown once, that works at once',
      'keys: makes keys that end',
    ],
    ['keys.revoke', '`DELETE …/keys/{id}/` revokes at once', 'keys: revokes it for the very next request'],
    [
      'keys.form',
      'keys are `mr_` and 43 characters, stored as SHA-256',
      'keys: makes a key, shown once, that works at once',
      'process/start: stores no key in clear',
    ],
    [
      'keys.scopes',
      'a key for webhooks does nothing else',
      'webhooks.accept: may be one that can do nothing else',
      'auth: with a key that may only call webhooks is told so, whatever it asks',
    ],
    [
      'matrix',
      'every endpoint, for every role',
      'matrix: has a row for every endpoint',
      'matrix: %s what its row says',
    ],
    ['foreign', 'what is another’s looks like what does not exist', 'matrix: %s, whatever the verb and the body'],
  ]),
];
