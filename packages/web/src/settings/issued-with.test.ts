import { expect, it } from 'vitest';
import type { ApiKey } from '../api/settings/account.ts';
import { issuedWith, summaryOf } from './issued-with.ts';

function key(id: number, issuedBy: number | null, isLogin = false): ApiKey {
  return {
    id,
    name: `key ${id}`,
    prefix: 'mr_',
    scope: 'full',
    by_login: isLogin,
    issued_by: issuedBy,
    created_at: '2026-01-01T00:00:00.000000',
    expires_at: null,
    last_used_at: null,
  };
}

const keys = [key(1, null), key(2, 1), key(3, 2, true), key(4, null), key(5, 4)];

it('finds what was created with a key, also by keys that were created with it', () => {
  const idsOf = (index: number): readonly number[] => issuedWith(keys[index] as ApiKey, keys).map(({ id }) => id);
  expect([idsOf(0), idsOf(1), idsOf(2), idsOf(3)]).toEqual([[2, 3], [3], [], [5]]);
});

it('names the keys and counts the sessions', () => {
  expect(summaryOf([])).toBeNull();
  expect(summaryOf([key(1, null)])).toBe('the key “key 1”');
  expect(summaryOf([key(1, null), key(2, null), key(3, null, true)])).toBe('the keys “key 1”, “key 2” and one session');
  expect(summaryOf([key(3, null, true), key(4, null, true)])).toBe('2 sessions');
});
