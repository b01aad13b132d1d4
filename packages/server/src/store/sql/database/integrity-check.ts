import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What the process reports. */
export interface IntegrityResult {
  /** The first damage; null if there is none. */
  readonly damage: string | null;
  /** Why the file could not be checked. */
  readonly failure: string | null;
}

interface CheckLog {
  info?(details: object, message: string): void;
  warn?(details: object, message: string): void;
}

interface CheckPorts {
  readonly path: string;
  readonly log: CheckLog | undefined;
  readonly foundDamage: (damage: string) => void;
}

/**
 * Milliseconds that a check may take. It reads at least a gigabyte in that time. While it reads, the log cannot restart, so
 * it grows by all that is written.
 */
const maxCheckMs = 60_000;

/** A check in progress. */
export interface IntegrityCheck {
  close(): void;
}

/** Checks a database file in a separate process, which neither delays the service nor outlives it. */
export function checkInBackground({ path, log, foundDamage }: CheckPorts): IntegrityCheck {
  const child = startProcess(path);
  let isOver = false;
  const ends = (report: () => void) => (): void => {
    if (!isOver) report();
    isOver = true;
  };
  child.on('message', ({ damage, failure }: IntegrityResult) =>
    ends(() => {
      if (damage !== null) foundDamage(damage);
      else if (failure !== null) log?.warn?.({ failure }, 'the database file could not be checked for damage');
      else log?.info?.({}, 'the database file was checked: it is not damaged');
    })(),
  );
  child.on('error', (err) => ends(() => log?.warn?.({ err }, 'the database file could not be checked for damage'))());
  child.on(
    'exit',
    ends(() => log?.warn?.({ maxCheckMs }, 'the check of the database file took too long and was not completed')),
  );
  return {
    close() {
      isOver = true;
      child.kill('SIGKILL');
    },
  };
}

function startProcess(path: string): ChildProcess {
  const child = fork(
    fileURLToPath(new URL('./integrity-process.ts', import.meta.url)),
    [path, String(maxCheckMs / 1000)],
    {
      env: {},
      // Not those of the service: two processes cannot share a port of the inspector.
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    },
  );
  // The check does not keep the service alive.
  child.unref();
  child.channel?.unref();
  return child;
}
