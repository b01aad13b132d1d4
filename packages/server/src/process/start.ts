import { accessSync, chmodSync, constants, writeFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { scheduleTimetable } from '@millrace/components';
import { Problem } from '@millrace/core';
import type { Logger } from 'pino';
import { type App, type AppPorts, createApp } from '../app.ts';
import { type CommandList, CommandListError, readCommandList } from '../commands/command-list.ts';
import { createCommands } from '../commands/commands.ts';
import { removeLeftSshFiles } from '../git/ssh-files.ts';
import { type CancelTimer, systemClock, systemTimers, type Timers } from '../ground/clock.ts';
import type { Config } from '../ground/config.ts';
import { newSetupToken } from '../ground/ids.ts';
import { type McpPrograms, McpProgramsError, readMcpPrograms } from '../mcp/programs.ts';
import { type EgressAllow, EgressAllowError, parseEgressAllow } from '../outbound/egress-allow.ts';
import { KeyFile, SecretKeyError } from '../secrets/keys/key-file.ts';
import { InstalledKeys } from '../secrets/keys/keyring.ts';
import { requireUnused, unlockVault } from '../secrets/keys/unlock.ts';
import type { Vault } from '../secrets/keys/vault.ts';
import { Retention } from '../services/executions/retention.ts';
import { firstStart, RevokedKey } from '../services/setup/first-start.ts';
import { finishRestore } from '../store/sql/backup/pending-restore.ts';
import { AlreadyInUse, lockDatabase, lockDataDirectory } from '../store/sql/database/data-lock.ts';
import { causeOf } from '../store/sql/database/failures.ts';
import { DanglingLink, linkedFile } from '../store/sql/database/linked-file.ts';
import type { LogLimits } from '../store/sql/database/log/log-limits.ts';
import { hasContent, OrphanedLog, requireDatabaseOfLog } from '../store/sql/database/log/orphaned-log.ts';
import { DamagedOldDatabase, NewerDatabase } from '../store/sql/database/migrate.ts';
import { openSqliteStore } from '../store/sql/sqlite.ts';
import type { Store } from '../store/store.ts';
import { greetingOf } from './greeting.ts';
import { returnMemory } from './memory-return.ts';
import { makeFilesPrivate, openDataDirectory } from './private-files.ts';
import { codeOf, StartError } from './start-error.ts';
import { type StallLimits, Watchdog } from './watchdog.ts';
import { readPreviousEnd } from './work-file.ts';

/** The running service. */
export interface Service {
  /** The message for the person who started it. */
  readonly greeting: readonly string[];
  /** Finishes work in progress, within limits, and releases the data directory. */
  stop(): Promise<void>;
}

/**
 * Milliseconds that requests, and then steps, have to finish when the service stops: together less than a supervisor's
 * 30 s.
 */
const requestGraceMs = 15_000;
const stepGraceMs = 10_000;

/** What tests replace: how long the service waits for clients and for a stall, its components, and the size of the log. */
interface Replaced extends Partial<Pick<AppPorts, 'clock' | 'timers' | 'timeouts' | 'catalogue'>> {
  readonly stallLimits?: Partial<StallLimits>;
  readonly logLimits?: LogLimits;
}

/** Starts everything: the data directory and its lock, the database, the first user, the server, the runner. */
export async function startService(
  config: Config,
  log: Logger,
  { stallLimits, logLimits, ...replaced }: Replaced = {},
): Promise<Service> {
  // Only the service's own user may read its files, including the database.
  process.umask(0o077);
  const dataDir = openDataDirectory(config.dataDir, log);
  const reach = reachOf(config);
  const givenFile = config.databaseFile ?? join(dataDir, 'millrace.db');
  const databaseFile = fileOf(givenFile);
  makeFilesPrivate(dataDir, databaseFile, log);
  const unlock = lock(dataDir, databaseFile);
  if (finishRestore(databaseFile))
    log.warn({}, 'a restore of a backup was interrupted after it took effect; it is complete now');
  const keys = openKeys(config, { databaseFile, keyFile: join(dirname(givenFile), 'secret.key') });
  const store = openStore(databaseFile, log, logLimits);
  const workFile = `${databaseFile}-work`;
  const vault = await takeOver(store, keys, { workFile, log }).catch(async (error) => {
    // Without a log beside it, the operator may replace the database.
    await store.close();
    throw error;
  });
  const watchdog = new Watchdog(workFile, log, stallLimits);
  const { host, publicUrl, trustProxy, maxBody, maxWebhookBody, maxSteps, maxRunSize, code, botApi } = config;
  let isReady = false;
  const setupToken = newSetupToken();
  await removeLeftSshFiles();
  const app = createApp({
    setupToken,
    isReady: () => isReady,
    host,
    publicUrl,
    trustProxy,
    maxBody,
    maxWebhookBody,
    maxSteps,
    maxRunSize,
    code,
    botApi,
    ...reach,
    log,
    store,
    vault,
    clock: systemClock,
    timers: systemTimers,
    random: Math.random,
    work: watchdog,
    routeRecord: watchdog.routes,
    ...replaced,
  });
  // Node stores compiled code only when a process ends by itself. After a kill, the next start would compile everything
  // again, which doubles its time. It takes a second after an update, and a millisecond otherwise.
  flushCompileCache();
  const url = await listen(app, config);
  // After listening, so that a start that fails because of its port creates no key that nobody sees.
  const keepKey = (key: string): void => writeKey(dataDir, key);
  const setUp = { store, givenKey: config.apiKey, keepKey, at: systemClock.now() };
  // A damaged database is only read: its users can still save what is readable.
  const first = store.isWritable ? await firstStart(setUp).catch(startFailure) : null;
  isReady = true;
  const { retentionDays: days, retentionRuns: runsPerWorkflow, retentionMinutes: minutes } = config;
  const limits = { days, runsPerWorkflow, minutes };
  const retention = new Retention({ store, clock: systemClock, timers: systemTimers, limits, log });
  if (store.isWritable) for (const part of [app.runner, app.scheduler, app.bots, retention]) part.start();
  const unwatch = watchExternalChanges(store, systemTimers);
  const stopReturns = returnMemory(systemTimers);
  // A damaged database cannot store a login.
  const isOpen = store.isWritable && (await app.services.firstLogin.isNeeded());
  return {
    greeting: greetingOf({ url, publicUrl, dataDir, first, setupToken: isOpen ? setupToken : null }),
    stop: async () => {
      unwatch();
      stopReturns();
      try {
        for (const part of [app.bots, app.scheduler, retention]) await part.stop();
        await closeWithin(app, requestGraceMs);
        await app.runner.stop(stepGraceMs);
      } finally {
        // Also after a write that failed: closing brings the log into the database.
        await app.close();
        // The disk decides how long closing takes: nothing waits for the event loop any more.
        await watchdog.close();
        await store.close();
        unlock();
      }
    },
  };
}

/** @throws StartError if the operator's file cannot be read */
function sshKnownHostsOf({ sshKnownHostsFile: file }: Config): string | null {
  if (file === null || isReadable(file)) return file && resolve(file);
  throw new StartError(`MILLRACE_SSH_KNOWN_HOSTS: ${file} cannot be read`);
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** @throws StartError if the operator's file cannot be used */
function mcpProgramsOf({ mcpServersFile }: Config): McpPrograms {
  if (mcpServersFile === null) return new Map();
  try {
    return readMcpPrograms(mcpServersFile);
  } catch (error) {
    throw error instanceof McpProgramsError ? new StartError(`MILLRACE_MCP_SERVERS: ${error.message}`) : error;
  }
}

/** Takes over the runs of the process before this one, and opens the vault. */
async function takeOver(store: Store, keys: InstalledKeys, end: { workFile: string; log: Logger }): Promise<Vault> {
  // The database lock guarantees that no other service owns them.
  if (store.isWritable) await recover(store, end.workFile, end.log);
  return openVault(keys, store);
}

/** Makes the runs of the process before this one claimable. */
async function recover(store: Store, workFile: string, log: Logger): Promise<void> {
  const { ofRun, stall } = readPreviousEnd(workFile);
  if (ofRun?.isCertain === true) {
    const { executionId, nodeId, kind, stalledMs } = ofRun;
    log.error({ executionId, nodeId, kind, stalledMs }, 'an execution ended the service');
  }
  if (stall !== null) log.error(stall, 'the service ended in a stall that no execution caused');
  await store.executions.recover(ofRun);
}

function fileOf(path: string): string {
  try {
    return linkedFile(path);
  } catch (error) {
    if (error instanceof DanglingLink) throw new StartError(error.message);
    throw error;
  }
}

/** The key is beside the database, or beside the link to it. */
interface KeyPlace {
  readonly databaseFile: string;
  readonly keyFile: string;
}

/** Reads the keys, and checks that a missing or empty database is new, not lost: nothing is created before that. */
function openKeys(config: Config, { databaseFile, keyFile }: KeyPlace): InstalledKeys {
  try {
    requireDatabaseOfLog(databaseFile);
    const keys = new InstalledKeys(new KeyFile(keyFile), config.secretKey);
    if (!hasContent(databaseFile)) requireUnused(keys, `The database ${databaseFile}`);
    return keys;
  } catch (error) {
    if (error instanceof SecretKeyError || error instanceof OrphanedLog) throw new StartError(error.message);
    throw error;
  }
}

async function openVault(keys: InstalledKeys, store: Store): Promise<Vault> {
  try {
    const vault = await unlockVault(keys, store.secretKeys);
    // Before it, a rotation to the operator's key left the new key in the file for the running service.
    keys.keepInFile(({ id }) => id !== keys.given?.id);
    return vault;
  } catch (error) {
    // A Problem: the damaged page is one of the list of keys.
    if (error instanceof SecretKeyError || error instanceof Problem) throw new StartError(error.message);
    throw error;
  }
}

/** What workflows may use outside the service. An error in it prevents the start before anything is opened. */
function reachOf(config: Config): Pick<AppPorts, 'egressAllow' | 'sshKnownHosts' | 'mcpPrograms' | 'runCommand'> {
  return {
    egressAllow: egressAllowOf(config),
    sshKnownHosts: sshKnownHostsOf(config),
    mcpPrograms: mcpProgramsOf(config),
    runCommand: createCommands(commandsOf(config)),
  };
}

function egressAllowOf({ egressAllow }: Config): EgressAllow {
  try {
    return parseEgressAllow(egressAllow);
  } catch (error) {
    if (error instanceof EgressAllowError) throw new StartError(error.message);
    throw error;
  }
}

function commandsOf({ commandsFile }: Config): CommandList {
  try {
    return commandsFile === null ? new Map() : readCommandList(commandsFile);
  } catch (error) {
    if (error instanceof CommandListError) throw new StartError(error.message);
    throw error;
  }
}

/** Both are checked, because each may belong to another user. */
function lock(dataDir: string, databaseFile: string): () => void {
  const unlockDirectory = locked(`The data directory ${dataDir}`, () => lockDataDirectory(dataDir));
  try {
    const unlockDatabase = locked(`The database ${databaseFile}`, () => lockDatabase(databaseFile));
    return () => {
      unlockDatabase();
      unlockDirectory();
    };
  } catch (error) {
    unlockDirectory();
    throw error;
  }
}

function locked(what: string, lockIt: () => () => void): () => void {
  try {
    return lockIt();
  } catch (error) {
    if (error instanceof AlreadyInUse) throw new StartError(error.message);
    throw new StartError(`${what} cannot be locked (${codeOf(error)}).`);
  }
}

function openStore(path: string, log: Logger, logLimits: LogLimits | undefined): Store {
  try {
    return openSqliteStore({ path, log, readTimetable: scheduleTimetable, isService: true, logLimits });
  } catch (error) {
    if (error instanceof NewerDatabase || error instanceof DamagedOldDatabase) throw new StartError(error.message);
    const cause = causeOf(error) ?? 'its file is damaged, or is not a database of Millrace. Restore a backup';
    throw new StartError(`The database ${path} cannot be opened (${codeOf(error)}): ${cause}, see docs/storage.md.`);
  }
}

/** One line for an error that the operator can fix; any other error unchanged. */
function startFailure(error: unknown): never {
  throw error instanceof RevokedKey ? new StartError(error.message) : error;
}

/** Writes a new key to its file. */
function writeKey(dataDir: string, key: string): void {
  const file = join(dataDir, 'admin.key');
  try {
    writeFileSync(file, `${key}\n`, { mode: 0o600 });
    // An existing file would otherwise keep its old mode.
    chmodSync(file, 0o600);
  } catch (error) {
    throw new StartError(
      `The admin's key cannot be written to ${file} (${codeOf(error)}): check the permissions and the free space.`,
    );
  }
}

async function listen(app: App, { host, port }: Config): Promise<string> {
  try {
    await app.server.listen({ host, port });
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EADDRINUSE') {
      throw new StartError(
        `Port ${port} on ${host} is in use: stop the program that listens there, or set MILLRACE_PORT to another port.`,
      );
    }
    throw new StartError(`Cannot listen on ${host} port ${port} (${code}): check MILLRACE_HOST and MILLRACE_PORT.`);
  }
  const address = app.server.server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${name}:${address.port}`;
}

/** The end of the time for requests, when callers that wait for a run get the answer that it continues. */
const farewellMs = 1000;
/** The interval at which connections without a request are looked for while the server closes. */
const sweepMs = 50;

/** Closes the server: requests in progress are answered unless they exceed their time limit. */
async function closeWithin(app: App, ms: number): Promise<void> {
  const { server } = app.server;
  const until = systemClock.monotonic() + ms;
  let cancel: CancelTimer = () => undefined;
  // Node closes connections that are idle at that moment; one that becomes idle later would stay open for seconds.
  const sweep = (): void => {
    const left = until - systemClock.monotonic();
    // Callers that still wait for their run get the answer that it continues; a client that does not read it is
    // disconnected.
    if (left < farewellMs) app.endWaits();
    if (left > 0) server.closeIdleConnections();
    else server.closeAllConnections();
    cancel = systemTimers.after(sweepMs, sweep);
  };
  sweep();
  await app.server.close();
  cancel();
}

/**
 * Four times a second: a key that a command revoked is rejected within half a second, and a check takes microseconds.
 */
const everyMs = 250;

/** Checks regularly whether another process changed the store, as commands do. Returns a function that stops it. */
function watchExternalChanges(store: Pick<Store, 'detectExternalChanges'>, timers: Timers): () => void {
  let cancel: CancelTimer = () => undefined;
  let isEnded = false;
  const goOn = (): void => {
    if (!isEnded) cancel = timers.after(everyMs, look);
  };
  // A database that cannot be read is reported elsewhere.
  const look = (): void => void store.detectExternalChanges().then(goOn, goOn);
  goOn();
  return () => {
    isEnded = true;
    cancel();
  };
}
