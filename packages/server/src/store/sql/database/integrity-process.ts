import { setPriority } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { firstDamage } from './first-damage.ts';
import type { IntegrityResult } from './integrity-check.ts';

/**
 * The process that checks a large database file. A check cannot be interrupted, so it runs in a thread, and the main
 * thread ends the process when the time is up or the service ends, also after a kill -9.
 */
function main([path, seconds]: readonly string[]): void {
  // The lowest: the check takes only time that nobody else needs.
  setPriority(19);
  const end = (): void => void process.kill(process.pid, 'SIGKILL');
  process.on('disconnect', end);
  setTimeout(end, Number(seconds) * 1000);
  const thread = new Worker(new URL(import.meta.url), { workerData: path });
  thread.on('message', (result: IntegrityResult) => process.send?.(result, end));
  thread.on('error', ({ message }) =>
    process.send?.({ damage: null, failure: message } satisfies IntegrityResult, end),
  );
}

function check(path: string): IntegrityResult {
  const db = new Database(path, { readonly: true, fileMustExist: true });
  return { damage: firstDamage(db, 'quick'), failure: null };
}

if (isMainThread) main(process.argv.slice(2));
else parentPort?.postMessage(check(String(workerData)));
