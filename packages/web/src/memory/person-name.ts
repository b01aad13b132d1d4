import type { Person } from '../api/settings/people.ts';

/** What a person is called in lists. */
export function nameOf({ name, email, user_id: id }: Person): string {
  return name ?? email ?? id;
}
