import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { scheduleTimetable } from '@millrace/components';
import { Problem } from '@millrace/core';
import { requireNoPendingRestore } from './cli/backup.ts';
import {
  type Arguments,
  type Command,
  CommandError,
  type CommandPorts,
  type FileCommand,
  type FreePorts,
} from './cli/command.ts';
import { callOf, help, problemText } from './cli/commands.ts';
import { systemClock } from './ground/clock.ts';
import { type Config, ConfigError, configFromEnvironment } from './ground/config.ts';
import { SecretKeyError } from './secrets/keys/key-file.ts';
import { createPasswords } from './secrets/password.ts';
import { BackupError } from './store/backup.ts';
import { sqliteBackups } from './store/sql/backup/backups.ts';
import { AlreadyInUse, lockDatabase, lockDataDirectory, lockFile } from './store/sql/database/data-lock.ts';
import { DanglingLink } from './store/sql/database/linked-file.ts';
import { hasContent, OrphanedLog, requireDatabaseOfLog } from './store/sql/database/log/orphaned-log.ts';
import { NewerDatabase } from './store/sql/database/migrate.ts';
import { openSqliteStore } from './store/sql/sqlite.ts';

const surroundings: Omit<CommandPorts, 'config' | 'store' | 'databaseFile'> = {
  clock: systemClock,
  passwords: createPasswords(),
  withLock,
  readInput: () => text(process.stdin),
  print: (line) => console.log(line),
  note: (line) => console.error(line),
};

/** The command line of the operator, with the settings of the service: `npm run millrace -- <command>`. */
async function main(args: readonly string[]): Promise<void> {
  try {
    const call = callOf(args);
    if (call === null) return console.log(help());
    const { command, args: given } = call;
    if (command.needs === 'nothing') process.exitCode = await command.run(given, { ...surroundings, openTestRunner });
    else if (command.needs === 'files') await runOnFiles(command, given);
    else await runOnDatabase(command, given);
  } catch (error) {
    if (!isForOperator(error)) throw error;
    console.error(error instanceof Problem ? problemText(error) : error.message);
    process.exitCode = 1;
  }
}

async function runOnDatabase(command: Command, args: Arguments): Promise<void> {
  const config = configFromEnvironment();
  const databaseFile = databaseOf(config);
  const store = openSqliteStore({ path: databaseFile, readTimetable: scheduleTimetable });
  try {
    await command.run(args, { config, store, databaseFile, ...surroundings });
  } finally {
    await store.close();
  }
}

async function runOnFiles(command: FileCommand, args: Arguments): Promise<void> {
  const config = configFromEnvironment();
  const databaseFile = pathOf(config);
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort());
  await command.run(args, {
    ...surroundings,
    config,
    databaseFile,
    backups: sqliteBackups(),
    signal: interruption.signal,
    whileStopped: (action) => whileStopped({ dataDir: resolve(config.dataDir), databaseFile }, action),
  });
}

/** Both are locked, like at the start of the service. */
function whileStopped({ dataDir, databaseFile }: { dataDir: string; databaseFile: string }, action: () => void): void {
  for (const folder of [dataDir, dirname(databaseFile)]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const unlockDirectory = lockDataDirectory(dataDir);
  try {
    const unlockDatabase = lockDatabase(databaseFile);
    try {
      action();
    } finally {
      unlockDatabase();
    }
  } finally {
    unlockDirectory();
  }
}

const openTestRunner: FreePorts['openTestRunner'] = async () => {
  // Loading the whole service takes a moment; the other commands do not need it.
  const { createTestRunner } = await import('./process/virtual-service.ts');
  return createTestRunner(configFromEnvironment());
};

function pathOf({ databaseFile, dataDir }: Config): string {
  return resolve(databaseFile ?? join(dataDir, 'millrace.db'));
}

function databaseOf(config: Config): string {
  const path = pathOf(config);
  requireNoPendingRestore(sqliteBackups(), path);
  if (hasContent(path)) return path;
  requireDatabaseOfLog(path);
  throw new CommandError(
    `No database at ${path}: set MILLRACE_DATA_DIR to that of the service, or start the service first.`,
  );
}

async function withLock<T>(path: string, action: () => Promise<T>): Promise<T | null> {
  const unlock = lockFile(path);
  if (unlock === null) return null;
  try {
    return await action();
  } finally {
    unlock();
  }
}

function isForOperator(error: unknown): error is Error {
  return [
    AlreadyInUse,
    BackupError,
    CommandError,
    ConfigError,
    DanglingLink,
    NewerDatabase,
    OrphanedLog,
    SecretKeyError,
    Problem,
  ].some((type) => error instanceof type);
}

// Only the service's own user may read the files that a command writes.
process.umask(0o077);
await main(process.argv.slice(2));
