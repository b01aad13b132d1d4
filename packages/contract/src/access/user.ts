import { formatInstant, type User } from '@millrace/core';
import { z } from 'zod';
import { pageOf } from '../base/page.ts';
import { timestamp } from '../base/timestamp.ts';
import { fieldsOf, furtherKeys } from '../base/unknown-keys.ts';

/** A user, as admins and they themselves see them. */
export const user = z
  .object({ id: z.int(), username: z.string(), is_admin: z.boolean(), created_at: timestamp })
  .register(z.globalRegistry, { id: 'User', description: 'Somebody who uses the service.' });
type UserBody = z.infer<typeof user>;

export const userList = pageOf(user);

/** The name in `/api/v1/users/me/`: it stands for the caller. */
const reservedName = 'me';

const username = z
  .string()
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9._@+-]{0,98}[A-Za-z0-9])?$/,
    'must be 1 to 100 letters, digits, . _ @ + or -, and begin and end with a letter or digit',
  )
  .refine((text) => text.toLowerCase() !== reservedName, 'is a reserved word')
  .describe('Unique, whatever the case of its letters.');

// Long enough for any sentence; hashing time grows with what is longer.
const password = z.string().min(8, 'must have at least 8 characters').max(200, 'must have at most 200 characters');

/** A user to make. */
export const newUser = z
  .object({
    username,
    password: password.nullable().default(null).describe('Who has none cannot log in, and uses API keys only.'),
    is_admin: z.boolean().default(false).describe('Whether they manage users.'),
  })
  .register(furtherKeys, { shown: fieldsOf(user) });

/** What an admin may change in a user. */
export const userChanges = z
  .object({ password: password.describe('Ends the keys made by logging in.'), is_admin: z.boolean() })
  .partial()
  .register(furtherKeys, { shown: fieldsOf(user) });

/** A user's new password for themselves. */
export const passwordChange = z
  .object({
    password: password.describe('The new one. It ends the keys made by logging in.'),
    current_password: z.string().max(200).nullish().describe('Needed by who has a password already.'),
  })
  .register(furtherKeys, { shown: fieldsOf(user) });

/** Who takes over what a deleted user leaves. */
export const userRemoval = z.object({
  transfer_to: z
    .string()
    .max(200)
    .optional()
    .describe('Whose the workflows become, with their executions; the caller when left out.'),
});

/** What logs in. */
export const loginRequest = z.object({ username: z.string().max(200), password: z.string().max(200) });

/** A key for who logged in. */
export const login = z.object({
  token: z.string().describe('An API key with all that the user may do: `Authorization: Bearer <token>`.'),
  token_type: z.literal('bearer'),
  key_id: z.int().describe('Its id among the API keys of the user: deleting that logs out.'),
  expires_at: timestamp,
});

export function presentUser({ id, username, isAdmin, createdAt }: User): UserBody {
  return { id, username, is_admin: isAdmin, created_at: formatInstant(createdAt) };
}
