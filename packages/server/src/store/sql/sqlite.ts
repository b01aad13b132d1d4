import type { Store, StoreSubscriber } from '../store.ts';
import { prepareCancellation } from './cancel.ts';
import { collaboratorStore } from './collaborators.ts';
import { Connection } from './connection.ts';
import { prepareCounts } from './counts.ts';
import { credentialStore } from './credentials.ts';
import type { Effects } from './effects.ts';
import { executionStore } from './executions.ts';
import { isStorageFailure } from './failures.ts';
import { graphStore } from './graphs.ts';
import { prepareJournal } from './journal.ts';
import { KeptWorkflows } from './kept-workflows.ts';
import { keyStore } from './keys.ts';
import { migrate, sqliteMigrations } from './migrate.ts';
import { secretKeyStore } from './secret-keys.ts';
import { trashStore } from './trash.ts';
import { userStore } from './users.ts';
import { prepareVersionLog } from './version-log.ts';
import { workflowStore } from './workflows.ts';
import { Writer } from './writer.ts';

/** Where the store says what no caller is told. */
export interface StoreLog {
  error(details: object, message: string): void;
}

/** Which database to open, and where its store may complain. */
export interface SqliteOptions {
  /** The database file; `:memory:` for one that ends with the store. */
  readonly path: string;
  readonly log?: StoreLog;
}

/** Opens the database, brings its schema up to date, and gives its verbs. Throws `NewerDatabase`. */
export function openSqliteStore({ path, log }: SqliteOptions): Store {
  const connection = new Connection(path);
  try {
    migrate(connection, sqliteMigrations());
    return storeOn(connection, log);
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** The store on a connection whose schema is up to date. */
export function storeOn(connection: Connection, log?: StoreLog): Store {
  const subscribers = new Set<StoreSubscriber>();
  const counts = prepareCounts(connection);
  const pinned = new Map<number, number>();
  const kept = new KeptWorkflows();
  const writer = new Writer(connection, {
    before: counts.store,
    after(effects) {
      counts.remember(effects);
      for (const [id, move] of effects.changedWorkflows) kept.follow(id, move);
      for (const [workflowId, version] of effects.pinned) pinned.set(workflowId, version);
      for (const subscriber of subscribers) tell(subscriber, effects);
    },
    failed(error) {
      if (isStorageFailure(error)) log?.error({ err: error }, 'the database cannot write');
    },
  });
  const journal = prepareJournal(connection);
  const versions = prepareVersionLog(connection);
  const cancellation = prepareCancellation(connection, journal);
  const ping = connection.prepare<[]>('SELECT max(number) FROM migrations');
  return {
    users: userStore(connection, writer),
    keys: keyStore(connection, writer),
    collaborators: collaboratorStore(connection, writer),
    workflows: workflowStore({ connection, writer, kept, versions, endRunsOf: cancellation.cancelAllOf }),
    trash: trashStore(connection, writer),
    graphs: graphStore(connection, writer, versions),
    executions: executionStore({ connection, writer, journal, counts, cancellation, pinned }),
    credentials: credentialStore({ connection, writer, versions }),
    secretKeys: secretKeyStore(connection, writer),
    subscribe(subscriber) {
      subscribers.add(subscriber);
      return () => void subscribers.delete(subscriber);
    },
    ping: () => connection.read(() => void ping.get()),
    close() {
      writer.close();
      connection.close();
      return Promise.resolve();
    },
  };
}

function tell(subscriber: StoreSubscriber, { events, cancelRequested, accessChanges, pending }: Effects): void {
  // Before the events: who may not hear them any more must not be told.
  if (accessChanges.length > 0) subscriber.accessChanged?.(accessChanges);
  if (events.length > 0) subscriber.published?.(events);
  if (cancelRequested.length > 0) subscriber.cancelRequested?.(cancelRequested);
  if (pending) subscriber.pending?.();
}
