import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSqliteStore } from './sqlite.ts';

test("subscribers are notified once of another process's writes, and not of their own", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-others-'));
  const path = join(folder, 'millrace.db');
  const [store, other] = [openSqliteStore({ path }), openSqliteStore({ path })];
  const received: unknown[] = [];
  store.subscribe({ accessChanged: (changes) => void received.push(...changes) });
  await store.users.insert({ username: 'own', isAdmin: false, at: 0 });
  await store.detectExternalChanges();
  expect(received).toEqual([]);
  await other.users.insert({ username: 'theirs', isAdmin: false, at: 0 });
  await store.detectExternalChanges();
  await store.detectExternalChanges();
  expect(received).toEqual([{ kind: 'unknown' }]);
  await Promise.all([store.close(), other.close()]);
  rmSync(folder, { recursive: true });
});
