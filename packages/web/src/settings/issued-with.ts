import type { ApiKey } from '../api/settings/account.ts';

/** The keys and sessions of a list that were created with a key, directly or by others: they end with it. */
export function issuedWith(key: ApiKey, keys: readonly ApiKey[]): readonly ApiKey[] {
  return keys
    .filter((each) => each.issued_by === key.id && each.id !== key.id)
    .flatMap((each) => [each, ...issuedWith(each, keys)]);
}

/** What they are, for people; null if there are none. */
export function summaryOf(keys: readonly ApiKey[]): string | null {
  const sessions = keys.filter((key) => key.by_login).length;
  const names = keys.filter((key) => !key.by_login).map(({ name }) => `“${name}”`);
  const parts = [
    ...(names.length > 0 ? [`${names.length === 1 ? 'the key' : 'the keys'} ${names.join(', ')}`] : []),
    ...(sessions > 0 ? [sessions === 1 ? 'one session' : `${sessions} sessions`] : []),
  ];
  return parts.length === 0 ? null : parts.join(' and ');
}
