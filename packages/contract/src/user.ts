import { formatInstant, type User } from '@millrace/core';
import { z } from 'zod';
import { timestamp } from './timestamp.ts';

/** A user, as they see themselves. */
export const user = z.object({
  id: z.int(),
  username: z.string(),
  is_admin: z.boolean(),
  created_at: timestamp,
});
type UserBody = z.infer<typeof user>;

export function presentUser({ id, username, isAdmin, createdAt }: User): UserBody {
  return { id, username, is_admin: isAdmin, created_at: formatInstant(createdAt) };
}
