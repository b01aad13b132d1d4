import { formatInstant, type User } from '@millrace/core';
import { z } from 'zod';
import { named } from '../base/named.ts';
import { pageOf } from '../base/page.ts';
import { timestamp } from '../base/timestamp.ts';
import { fieldsOf, furtherKeys } from '../base/unknown-keys.ts';

/** A user, as shown to admins and to the user. */
export const user = named(
  'User',
  z.object({ id: z.int(), username: z.string(), is_admin: z.boolean(), created_at: timestamp }),
  {
    description: 'A user of the service.',
    example: { id: 2, username: 'operator', is_admin: false, created_at: '2026-01-31T12:00:00.000000' },
  },
);
type UserBody = z.infer<typeof user>;

export const userList = pageOf('UserList', user);

/** Refers to the caller in `/api/v1/users/me/`. */
const reservedName = 'me';

const username = z
  .string()
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9._@+-]{0,98}[A-Za-z0-9])?$/,
    'must be 1 to 100 letters, digits, . _ @ + or -, and begin and end with a letter or digit',
  )
  .refine((text) => text.toLowerCase() !== reservedName, 'is a reserved word')
  .describe('Unique, ignoring upper and lower case.');

// Enough for any passphrase; the time for hashing grows with the length.
const password = z.string().min(10, 'must have at least 10 characters').max(200, 'must have at most 200 characters');

/** A user to create. */
export const newUser = named(
  'NewUser',
  z.object({
    username,
    password: password
      .nullable()
      .default(null)
      .describe('A user without a password cannot log in and uses API keys only.'),
    is_admin: z.boolean().default(false).describe('Whether the user is an admin, who manages users.'),
  }),
  { description: 'A user to create.' },
).register(furtherKeys, { shown: fieldsOf(user) });

/** Changes by an admin to a user. */
export const userChanges = named(
  'UserChanges',
  z.object({ password: password.describe('Revokes the keys created by logging in.'), is_admin: z.boolean() }).partial(),
  { description: 'Changes to a user.' },
).register(furtherKeys, { shown: fieldsOf(user) });

/** The caller's new password. */
export const passwordChange = named(
  'PasswordChange',
  z.object({
    password: password.describe('The new password. Revokes the keys created by logging in.'),
    current_password: z.string().max(200).nullish().describe('Required if the user has a password.'),
  }),
  { description: 'A new password of the caller.' },
).register(furtherKeys, { shown: fieldsOf(user) });

/** The new owner of what a deleted user owns. */
export const userRemoval = z.object({
  transfer_to: z
    .string()
    .max(200)
    .optional()
    .describe('The new owner of the workflows and their executions; by default, the caller.'),
});

/** A name and a password to log in with. */
export const loginRequest = named(
  'LoginRequest',
  z.object({ username: z.string().max(200), password: z.string().max(200) }),
  { description: 'A name and a password for logging in.' },
);

/** The key that a login creates. */
export const login = named(
  'Login',
  z.object({
    token: z.string().describe('An API key with all permissions of the user: `Authorization: Bearer <token>`.'),
    token_type: z.literal('bearer'),
    key_id: z.int().describe('The id of this API key. Deleting the key logs out.'),
    expires_at: timestamp,
  }),
  {
    description: 'The key that a login creates.',
    example: {
      token: 'mr_4f1cEXAMPLEexampleEXAMPLEexampleEXAMPLEexampl',
      token_type: 'bearer',
      key_id: 8,
      expires_at: '2026-02-01T12:00:00.000000',
    },
  },
);

export function presentUser({ id, username, isAdmin, createdAt }: User): UserBody {
  return { id, username, is_admin: isAdmin, created_at: formatInstant(createdAt) };
}
