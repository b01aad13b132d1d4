import { expect, it } from 'vitest';
import { openSqliteStore } from '../store/sql/sqlite.ts';
import { ActivityTracker } from './activity-tracker.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('is idle when nothing is in progress and nothing follows from earlier work', async () => {
  const activity = new ActivityTracker();
  const done: string[] = [];
  const later = new Promise<void>((resolve) => setTimeout(resolve, 20));
  void activity.track(later.then(() => done.push('a timer')));
  activity.soon(() => activity.soon(() => void activity.track(turn().then(() => done.push('a chain')))));
  activity.track(Promise.reject(new Error('of no interest here'))).catch(() => done.push('a failure'));
  await activity.idle();
  expect(done.toSorted()).toEqual(['a chain', 'a failure', 'a timer']);
});

it('tracks the calls of a store', async () => {
  const activity = new ActivityTracker();
  const store = openSqliteStore({ path: ':memory:' });
  const watched = activity.watched(store);
  let user: unknown;
  watched.users.insert({ username: 'one', isAdmin: false, at: 0 }).then(
    (inserted) => {
      user = inserted;
    },
    () => undefined,
  );
  await activity.idle();
  expect(user).toMatchObject({ username: 'one' });
  await watched.close();
});
