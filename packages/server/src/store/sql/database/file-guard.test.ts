import { copyFileSync, linkSync, mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { newWorkflow } from '../../testsuite/world.ts';
import { storeOn } from '../sqlite.ts';
import { Connection } from './connection.ts';
import { watchFiles } from './file-watch.ts';
import { migrate, sqliteMigrations } from './migrate.ts';

/** A folder with a store, and a function that is called between each write and its acknowledgement. */
function open() {
  const folder = join(mkdtempSync(join(tmpdir(), 'millrace-guard-')), 'data');
  mkdirSync(folder);
  const path = join(folder, 'millrace.db');
  const connection = new Connection(path);
  migrate(connection, sqliteMigrations());
  connection.leaveDiskToWriter();
  const between = { act: (): void => undefined };
  const clock = { now: 0 };
  const start = (done: (error: null) => void) => {
    between.act();
    setImmediate(done, null);
  };
  const log = { error: () => undefined };
  const store = storeOn(connection, {
    sync: { start, close: () => undefined },
    files: watchFiles(path, () => clock.now),
    log,
  });
  lookNow = () => void store.detectExternalChanges().catch(() => undefined);
  const close = async (): Promise<void> => {
    await store.close();
    connection.close();
    rmSync(dirname(folder), { recursive: true });
  };
  return { folder, path, store, between, clock, close };
}

/** The periodic look at the files of the store that was opened last. */
let lookNow = (): void => undefined;

/** Changes of the folder, and whether the open files are at their paths afterwards. */
const changes: Readonly<Record<string, (path: string) => boolean>> = {
  'another file is created': (path) => {
    writeFileSync(join(dirname(path), 'other'), '');
    return true;
  },
  'another file is deleted': (path) => {
    rmSync(join(dirname(path), 'other'), { force: true });
    return true;
  },
  'the database gets a second name': (path) => {
    rmSync(`${path}.link`, { force: true });
    linkSync(path, `${path}.link`);
    return true;
  },
  'the times of the files change at many looks, as during a long checkpoint': (path) => {
    for (let look = 1; look <= 10; look += 1) {
      for (const suffix of ['', '-wal', '-shm']) utimesSync(path + suffix, look, look);
      lookNow();
    }
    return true;
  },
  'the database is moved away and back': (path) => {
    renameSync(path, `${path}.away`);
    renameSync(`${path}.away`, path);
    return true;
  },
  'the database is deleted, and has another name': (path) => {
    linkSync(path, `${path}.second`);
    rmSync(path);
    return false;
  },
  'the database is moved away': (path) => {
    renameSync(path, `${path}.away`);
    return false;
  },
  'the database is replaced': (path) => {
    copyFileSync(path, `${path}.new`);
    renameSync(`${path}.new`, path);
    return false;
  },
  'the log is deleted': (path) => {
    rmSync(`${path}-wal`);
    return false;
  },
  'the index of the log is replaced': (path) => {
    copyFileSync(`${path}-shm`, `${path}-new`);
    renameSync(`${path}-new`, `${path}-shm`);
    return false;
  },
  'the whole folder is moved away': (path) => {
    renameSync(dirname(path), `${dirname(path)}.away`);
    return false;
  },
};

const harmless = Object.keys(changes).slice(0, 5);

// Requirement engine.storage.files: after the database or its log was deleted or replaced, nothing is acknowledged
test('a commit is acknowledged if and only if the files are still the open ones, whenever they change', async () => {
  const moment = fc.record({
    change: fc.constantFrom(...Object.keys(changes)),
    when: fc.constantFrom('before the write', 'before the acknowledgement'),
  });
  const quiet = fc.record({ change: fc.constantFrom(...harmless), when: moment.map(({ when }) => when) });
  await fc.assert(
    fc.asyncProperty(fc.array(quiet, { maxLength: 4 }), moment, fc.boolean(), async (before, last, isSettled) => {
      const { path, store, between, clock, close } = open();
      try {
        for (const { change, when } of [...before, last]) {
          const act = changes[change] ?? (() => true);
          // Long after the last change of the folder, only the folder itself is looked at.
          if (isSettled) {
            await newWorkflow(store);
            clock.now += 10_000;
            await newWorkflow(store);
          }
          let isIntact = true;
          const changeNow = () => {
            between.act = () => undefined;
            isIntact = act(path);
          };
          if (when === 'before the write') changeNow();
          else between.act = changeNow;
          const call = newWorkflow(store).then(
            () => true,
            () => false,
          );
          expect([change, when, await call]).toEqual([change, when, isIntact]);
        }
      } finally {
        await close();
      }
    }),
    { numRuns: Number(process.env.GUARD_RUNS ?? 20) },
  );
});

// Requirement engine.storage.files
test('a file that is replaced is noticed although the times of the folder are restored, as copying programs do', async () => {
  const { folder, path, store, clock, close } = open();
  onTestFinished(close);
  utimesSync(folder, 1000, 1000);
  await newWorkflow(store);
  clock.now += 10_000;
  await newWorkflow(store);
  copyFileSync(path, `${path}.new`);
  renameSync(`${path}.new`, path);
  utimesSync(folder, 1000, 1000);
  await expect(newWorkflow(store)).rejects.toMatchObject({ code: 'store_unavailable' });
});
