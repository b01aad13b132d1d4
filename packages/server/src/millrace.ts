import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Problem } from '@millrace/core';
import { CommandError } from './cli/command.ts';
import { commandOf, help } from './cli/commands.ts';
import { type Config, ConfigError, configFromEnvironment } from './config.ts';
import { SecretKeyError } from './secrets/key-file.ts';
import { lockFile } from './store/sql/data-lock.ts';
import { openSqliteStore } from './store/sql/sqlite.ts';

/** One command of the operator's, with the settings of the service: `npm run millrace -- <command>`. */
async function main(args: readonly string[]): Promise<void> {
  try {
    const command = commandOf(args);
    if (command === null) return console.log(help());
    const config = configFromEnvironment();
    const databaseFile = databaseOf(config);
    const store = openSqliteStore({ path: databaseFile });
    const say = (line: string): void => console.log(line);
    await command.run(args.slice(1), { config, store, databaseFile, withLock, say });
    await store.close();
  } catch (error) {
    if (!isForOperator(error)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

function databaseOf({ databaseFile, dataDir }: Config): string {
  const path = resolve(databaseFile ?? join(dataDir, 'millrace.db'));
  if (existsSync(path)) return path;
  throw new CommandError(
    `There is no database at ${path}: set MILLRACE_DATA_DIR to the service's, or start the service first.`,
  );
}

async function withLock<T>(path: string, deed: () => Promise<T>): Promise<T | null> {
  const unlock = lockFile(path);
  if (unlock === null) return null;
  try {
    return await deed();
  } finally {
    unlock();
  }
}

function isForOperator(error: unknown): error is Error {
  return [CommandError, ConfigError, SecretKeyError, Problem].some((type) => error instanceof type);
}

// What a command writes is for its own user only, as what the service writes.
process.umask(0o077);
await main(process.argv.slice(2));
