import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSqliteStore } from './sqlite.ts';

test("subscribers are notified once of another process's writes, and not of their own", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-others-'));
  const path = join(folder, 'millrace.db');
  const [store, other] = [openSqliteStore({ path }), openSqliteStore({ path })];
  const heard: unknown[] = [];
  store.subscribe({ accessChanged: (changes) => void heard.push(...changes) });
  await store.users.insert({ username: 'own', isAdmin: false, at: 0 });
  await store.noticeOthers();
  expect(heard).toEqual([]);
  await other.users.insert({ username: 'theirs', isAdmin: false, at: 0 });
  await store.noticeOthers();
  await store.noticeOthers();
  expect(heard).toEqual([{ kind: 'unknown' }]);
  await Promise.all([store.close(), other.close()]);
  rmSync(folder, { recursive: true });
});
