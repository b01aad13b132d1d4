import type { ReadTimetable } from '@millrace/core';
import type { Store, StoreSubscriber } from '../store.ts';
import { collaboratorStore } from './accounts/collaborators.ts';
import { keyStore } from './accounts/keys.ts';
import { userStore } from './accounts/users.ts';
import { prepareHourlyEnds } from './activity/hourly-ends.ts';
import { prepareCountUsage, usageStore } from './activity/model-usage.ts';
import { prepareActivity } from './activity/workflow-activity.ts';
import { DatabaseUse, hasLog } from './backup/database-use.ts';
import { withBotTriggers } from './bots/bot-triggers.ts';
import { botStore } from './bots/bots.ts';
import { credentialStore } from './credentials/credentials.ts';
import { secretKeyStore } from './credentials/secret-keys.ts';
import { Connection } from './database/connection.ts';
import type { Effects } from './database/effects.ts';
import { isDamagedFile, isStorageFailure, writeFailure } from './database/failures.ts';
import { FileGuard } from './database/file-guard.ts';
import { type FileWatch, noFiles, watchFiles } from './database/file-watch.ts';
import { checkInBackground, type IntegrityCheck } from './database/integrity-check.ts';
import { linkedFile } from './database/linked-file.ts';
import { type Checkpoints, checkpointsOf, noCheckpoints } from './database/log/checkpoints.ts';
import type { LogLimits } from './database/log/log-limits.ts';
import { type LogSync, noSync, syncOfLog } from './database/log/log-sync.ts';
import { requireDatabaseOfLog } from './database/log/orphaned-log.ts';
import { applyReplacedLog, damagedCopy, type ReplacedLog } from './database/log/replaced-log.ts';
import { migrate, requireUpToDate, sqliteMigrations } from './database/migrate.ts';
import { WriteHealth } from './database/write-health.ts';
import { type CommitHooks, Writer } from './database/writer.ts';
import { prepareAccept } from './executions/accept.ts';
import { prepareBlobs } from './executions/blobs.ts';
import { prepareCancellation, usualEndedAtOnce } from './executions/cancel.ts';
import { chatStore, prepareChatTurns } from './executions/chats.ts';
import { executionStore } from './executions/executions.ts';
import { prepareJournal } from './executions/journal.ts';
import { retentionStore } from './executions/retention.ts';
import { prepareWaitRows } from './executions/wait-rows.ts';
import { waitStore } from './executions/waits.ts';
import { prepareFactRemoval } from './memory/fact-rows.ts';
import { memoryStore } from './memory/memory.ts';
import { type ConcurrencySlots, prepareConcurrencySlots } from './queue/concurrency-slots.ts';
import { type Counts, prepareCounts } from './queue/counts.ts';
import { prepareCrashCounts } from './queue/crash-counts.ts';
import { prepareIncidents } from './queue/incidents.ts';
import { QueuePositions } from './queue/queue-positions.ts';
import { prepareStoppingRuns } from './queue/stopping-runs.ts';
import { recordingStore } from './recordings/recordings.ts';
import { scheduleStore } from './schedules/schedules.ts';
import { stateStore } from './variables/state.ts';
import { variableStore } from './variables/variables.ts';
import { prepareEndRuns } from './workflows/end-runs.ts';
import { graphStore } from './workflows/graphs.ts';
import { prepareScheduleTable } from './workflows/schedule-table.ts';
import { trashStore } from './workflows/trash.ts';
import { prepareVersionLog } from './workflows/version-log.ts';
import { WorkflowCache } from './workflows/workflow-cache.ts';
import { workflowTextStore } from './workflows/workflow-texts.ts';
import { workflowStore } from './workflows/workflows.ts';

/** The log for failures that are reported to no caller. */
export interface StoreLog {
  error(details: object, message: string): void;
  warn?(details: object, message: string): void;
  info?(details: object, message: string): void;
}

/** Which database to open, and where to log. */
export interface SqliteOptions {
  /** The database file; `:memory:` for one that exists only as long as the store. */
  readonly path: string;
  readonly log?: StoreLog;
  /** The process is the service: it checks the file for damage, and may rewrite it so that it can shrink. */
  readonly isService?: boolean;
  /** The sizes of the log at which writes wait or are rejected. */
  readonly logLimits?: LogLimits | undefined;
  /** Bytes of a journal from which on its owner reads it in slices. */
  readonly largeJournal?: number;
  /** Runs that end in one transaction with the run that waits for them. */
  readonly endedAtOnce?: number;
  /** When schedules fire. Without it they never do, for a process that starts no scheduled runs. */
  readonly readTimetable?: ReadTimetable;
}

/**
 * Opens the database, brings its schema up to date, and returns the store. A damaged database is only read.
 * @throws NewerDatabase, OrphanedLog, DamagedOldDatabase, DanglingLink
 */
export function openSqliteStore({ path: given, isService = false, ...options }: SqliteOptions): Store {
  const path = linkedFile(given);
  requireDatabaseOfLog(path);
  if (isService) reportReplacedLog(applyReplacedLog(path), path, options.log);
  const hadLog = hasLog(path);
  const connection = new Connection(path);
  try {
    const isSmall = connection.bytes <= maxBytesCheckedAtStart;
    const damage = isService && isSmall ? connection.firstDamage() : null;
    if (damage === null) updateFile(connection, { path, isService, log: options.log });
    else requireUpToDate(connection, sqliteMigrations());
    const check: FileCheck = { damage, path: isService && !isSmall ? path : null };
    const use = new DatabaseUse(connection, path, hadLog);
    if (isService && damage === null && use.begin()) options.log?.error({ path }, missingLog);
    const closing = () => (isService ? use.end() : use.endUnlessServed());
    return storeOn(connection, { ...openDisk(connection, path, options), ...options, check, closing });
  } catch (error) {
    connection.close();
    throw error;
  }
}

function updateFile(
  connection: Connection,
  { path, isService, log }: { path: string; isService: boolean; log: StoreLog | undefined },
): void {
  migrate(connection, sqliteMigrations());
  if (isService && !connection.makeShrinkable(maxRewriteBytes)) log?.warn?.({ path }, tooLargeToShrink);
}

function reportReplacedLog(replaced: ReplacedLog, path: string, log: StoreLog | undefined): void {
  if (replaced === 'applied') log?.warn?.({ damaged: damagedCopy(path) }, appliedLog);
  if (replaced === 'kept') log?.warn?.({ path: `${path}-wal.replaced` }, keptLog);
}

const appliedLog =
  'an earlier version moved the log of the database away: it was applied, and the database is whole again';

const keptLog =
  'an earlier version moved a log of the database away, which cannot be applied: move it to another folder, ' +
  'see docs/storage.md';

const missingLog =
  'the log of the database is missing: the file was copied, or its log was deleted, while a service used it; ' +
  'what was stored last may be lost, see docs/backup.md';

/** A larger file is checked while the service runs. Checking this much takes two tenths of a second. */
const maxBytesCheckedAtStart = 64 * 1_048_576;

/** The search for damage in the file. */
interface FileCheck {
  /** The damage that was found at the start. */
  readonly damage: string | null;
  /** The file to check while the service runs; null if it was checked, or is not checked. */
  readonly path: string | null;
}

/** Rewritten at startup in a second or two. */
const maxRewriteBytes = 256 * 1_048_576;

const tooLargeToShrink =
  'the database file does not shrink: it reuses the space of deleted data; to let it shrink, stop the service and run: ' +
  "sqlite3 <file> 'PRAGMA auto_vacuum=INCREMENTAL; VACUUM'";

/** Passes control of the disk to the writer: from now on it decides when commits are synced and copied. */
function openDisk(connection: Connection, path: string, { log, logLimits: limits }: Partial<SqliteOptions>): Disk {
  if (path === ':memory:') return { sync: noSync() };
  const sync = syncOfLog(path);
  const monotonic = () => performance.now();
  connection.leaveDiskToWriter();
  return { sync, checkpoints: checkpointsOf({ connection, path, log, limits }), files: watchFiles(path), monotonic };
}

/** The parts that write commits to disk. */
interface Disk {
  readonly sync: LogSync;
  readonly checkpoints?: Checkpoints;
  readonly files?: FileWatch;
  /** In milliseconds. */
  readonly monotonic?: () => number;
}

/** The clock of a database in memory, whose transactions may take any time. */
const stopped = () => 0;

interface StoreParts extends Disk, Omit<SqliteOptions, 'path' | 'isService'> {
  readonly check?: FileCheck;
  /** The last write before the connection is closed. */
  readonly closing?: () => void;
}

/** The store on a connection whose schema is up to date. */
export function storeOn(
  connection: Connection,
  {
    sync,
    checkpoints = noCheckpoints,
    files = noFiles,
    monotonic = stopped,
    log,
    readTimetable = () => null,
    check,
    closing = () => undefined,
    largeJournal,
    endedAtOnce = usualEndedAtOnce,
  }: StoreParts,
): Store {
  const subscribers = new Set<StoreSubscriber>();
  const counts = prepareCounts(connection);
  const hourlyEnds = prepareHourlyEnds(connection);
  const pinned = new Map<number, number>();
  const slots = prepareConcurrencySlots(connection);
  const incidents = prepareIncidents(connection);
  const positions = new QueuePositions(connection);
  const workflowCache = new WorkflowCache();
  const health = new WriteHealth(monotonic);
  const hooks: CommitHooks = {
    before: (effects) => storeTogether({ slots, counts, hourlyEnds }, effects),
    committed: (effects) => remember({ counts, workflowCache, pinned, slots }, effects),
    durable(effects) {
      health.succeeded();
      for (const subscriber of subscribers) notify(subscriber, effects);
      stopping.follow(effects);
    },
    failed: (error) => reportFailure({ connection, health, log }, error),
  };
  const guard = new FileGuard({ connection, files, log });
  const writer = new Writer({ connection, sync, checkpoints, hooks, guard, monotonic });
  const integrityCheck = startCheck(guard, check, log);
  const journal = prepareJournal(connection, prepareBlobs(connection));
  const versions = prepareVersionLog(connection);
  const waits = prepareWaitRows(connection);
  const schedules = withBotTriggers(prepareScheduleTable(connection, readTimetable), connection);
  const chats = prepareChatTurns(connection);
  const accept = prepareAccept({ connection, journal, known: pinned, positions, chats });
  const cancellation = prepareCancellation({ connection, journal, waits, endedAtOnce });
  const stopping = prepareStoppingRuns({ connection, writer, cancellation, endedAtOnce, failed: laterRound(log) });
  const activity = prepareActivity(connection, hourlyEnds);
  const endRuns = prepareEndRuns({ connection, writer, cancellation });
  const detectChanges = prepareDetectExternalChanges(connection, subscribers);
  return {
    users: userStore(connection, writer, prepareFactRemoval(connection)),
    keys: keyStore(connection, writer),
    collaborators: collaboratorStore(connection, writer),
    workflows: workflowStore({ connection, writer, workflowCache, versions, schedules, slots, endRuns, activity }),
    trash: trashStore({ connection, writer, schedules, cancellation, endRuns }),
    chats: chatStore(connection, writer),
    graphs: graphStore({ connection, writer, versions, schedules }),
    workflowTexts: workflowTextStore(connection, writer),
    executions: executionStore({
      connection,
      writer,
      journal,
      counts,
      cancellation,
      waits,
      chats,
      accept,
      slots,
      crashCounts: prepareCrashCounts(connection),
      countModels: prepareCountUsage(connection),
      incidents,
      positions,
      stopping,
      largeJournal,
    }),
    waits: waitStore({ connection, writer, rows: waits, journal }),
    schedules: scheduleStore({ connection, writer, schedules, accept }),
    bots: botStore({ connection, writer, accept, replies: chats.replies }),
    credentials: credentialStore({ connection, writer }),
    secretKeys: secretKeyStore(connection, writer),
    ...valueStores(connection, writer),
    retention: retentionStore({ connection, writer, pinned }),
    subscribe(subscriber) {
      subscribers.add(subscriber);
      return () => void subscribers.delete(subscriber);
    },
    async detectExternalChanges() {
      guard.look();
      await detectChanges();
    },
    get isWritable() {
      return writer.broken === null;
    },
    get backlog() {
      return checkpoints.backlog;
    },
    ping: preparePing({ connection, writer, checkpoints, health }),
    async close() {
      integrityCheck?.close();
      await writer.close();
      await checkpoints.close();
      sync.close();
      if (guard.mayClose) closeConnection(connection, guard.isDamaged ? () => undefined : closing);
    },
  };
}

type ValueStores = Pick<Store, 'variables' | 'state' | 'memory' | 'usage' | 'recordings'>;

/** The stores of values that workflows read, and of what they used. */
function valueStores(connection: Connection, writer: Writer): ValueStores {
  return {
    variables: variableStore(connection, writer),
    state: stateStore(connection, writer),
    memory: memoryStore(connection, writer),
    usage: usageStore(connection),
    recordings: recordingStore(connection, writer),
  };
}

interface PingParts {
  readonly connection: Connection;
  readonly writer: Writer;
  readonly checkpoints: Checkpoints;
  readonly health: WriteHealth;
}

/** Whether the database is read and written. */
function preparePing({ connection, writer, checkpoints, health }: PingParts): Store['ping'] {
  const read = connection.prepare<[]>('SELECT max(number) FROM migrations');
  // Writes a page and changes nothing.
  const write = connection.prepare<[]>('UPDATE migrations SET number = number');
  return async () => {
    const problem = writer.broken ?? checkpoints.problem ?? health.problem;
    if (problem !== null) throw problem;
    await connection.read(() => void read.get());
    if (health.isUnknown) await writer.submit(() => void write.run());
  };
}

/** On a full disk, the last write fails: then the log remains, and the next start reads it. */
function closeConnection(connection: Connection, closing: () => void): void {
  try {
    if (connection.isOpen) closing();
  } catch (error) {
    if (!isStorageFailure(error)) throw error;
  } finally {
    connection.close();
  }
}

interface SharedRows {
  readonly slots: ConcurrencySlots;
  readonly counts: Counts;
  readonly hourlyEnds: ReturnType<typeof prepareHourlyEnds>;
}

interface FailureParts {
  readonly connection: Connection;
  readonly health: WriteHealth;
  readonly log: StoreLog | undefined;
}

/** The last writes of a transaction: what many calls change together. */
function storeTogether({ slots, counts, hourlyEnds }: SharedRows, effects: Effects): void {
  slots.settle(effects);
  counts.store(effects);
  hourlyEnds.store(effects);
}

function reportFailure({ connection, health, log }: FailureParts, error: unknown): void {
  health.failed(error);
  connection.noteDamage(error);
  if (!isDamagedFile(error)) log?.error({ err: writeFailure(error) }, 'the database cannot write');
}

/** An owner that claims a marked run ends it, and retention ends the others. */
function laterRound(log: StoreLog | undefined): (error: unknown) => void {
  return (err) => log?.warn?.({ err }, 'cancelled sub-workflows could not be ended; the next round tries again');
}

interface Caches {
  readonly counts: Counts;
  readonly workflowCache: WorkflowCache;
  readonly pinned: Map<number, number>;
  readonly slots: ConcurrencySlots;
}

/** Updates what is cached in memory after a commit. */
function remember({ counts, workflowCache, pinned, slots }: Caches, effects: Effects): void {
  counts.remember(effects);
  for (const [id, move] of effects.changedWorkflows) workflowCache.follow(id, move);
  for (const [workflowId, version] of effects.pinned) pinned.set(workflowId, version);
  for (const id of effects.purged) {
    pinned.delete(id);
    slots.forget(id);
  }
}

function startCheck(guard: FileGuard, check: FileCheck | undefined, log: StoreLog | undefined): IntegrityCheck | null {
  const foundDamage = (damage: string): void => guard.damaged(damage);
  if (typeof check?.damage === 'string') foundDamage(check.damage);
  return typeof check?.path === 'string' ? checkInBackground({ path: check.path, log, foundDamage }) : null;
}

/** Detects commits of other processes and publishes them to the subscribers. */
function prepareDetectExternalChanges(
  connection: Connection,
  subscribers: ReadonlySet<StoreSubscriber>,
): Store['detectExternalChanges'] {
  // Changes when another connection commits, not with our own commits.
  const dataVersion = connection.prepare<[], { data_version: number }>('PRAGMA data_version');
  let seenVersion = dataVersion.get()?.data_version;
  return () =>
    connection.read(() => {
      const version = dataVersion.get()?.data_version;
      if (version === seenVersion) return;
      seenVersion = version;
      for (const subscriber of subscribers) {
        subscriber.accessChanged?.([{ kind: 'unknown' }]);
        subscriber.botsChanged?.();
      }
    });
}

function notify(subscriber: StoreSubscriber, effects: Effects): void {
  const { events, cancelRequested, accessChanges, answered, wakeAt, pending, schedules, bots, botReplies } = effects;
  // Before the events, so that a subscriber who has lost access does not get them.
  if (accessChanges.length > 0) subscriber.accessChanged?.(accessChanges);
  if (events.length > 0) subscriber.published?.(events);
  if (cancelRequested.length > 0) subscriber.cancelRequested?.(cancelRequested);
  if (answered.length > 0) subscriber.answered?.(answered);
  if (wakeAt < Number.POSITIVE_INFINITY) subscriber.waitsUntil?.(wakeAt);
  if (pending) subscriber.pending?.();
  if (schedules) subscriber.schedulesChanged?.();
  if (bots) subscriber.botsChanged?.();
  if (botReplies) subscriber.botRepliesDue?.();
}
