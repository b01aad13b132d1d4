import { expect, it } from 'vitest';
import { openSqliteStore } from '../store/sql/sqlite.ts';
import { Busy } from './activity-tracker.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('is idle when nothing is in progress and nothing follows from earlier work', async () => {
  const busy = new Busy();
  const done: string[] = [];
  const later = new Promise<void>((resolve) => setTimeout(resolve, 20));
  void busy.track(later.then(() => done.push('a timer')));
  busy.soon(() => busy.soon(() => void busy.track(turn().then(() => done.push('a chain')))));
  busy.track(Promise.reject(new Error('of no interest here'))).catch(() => done.push('a failure'));
  await busy.idle();
  expect(done.toSorted()).toEqual(['a chain', 'a failure', 'a timer']);
});

it('tracks the calls of a store', async () => {
  const busy = new Busy();
  const store = openSqliteStore({ path: ':memory:' });
  const watched = busy.watched(store);
  let user: unknown;
  watched.users.insert({ username: 'one', isAdmin: false, at: 0 }).then(
    (inserted) => {
      user = inserted;
    },
    () => undefined,
  );
  await busy.idle();
  expect(user).toMatchObject({ username: 'one' });
  await watched.close();
});
