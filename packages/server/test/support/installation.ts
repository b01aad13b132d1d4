import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { type App, type AppPorts, createApp } from '../../src/app.ts';
import { systemClock, systemTimers } from '../../src/ground/clock.ts';
import { KeyFile } from '../../src/secrets/keys/key-file.ts';
import { InstalledKeys } from '../../src/secrets/keys/keyring.ts';
import { unlockVault } from '../../src/secrets/keys/unlock.ts';
import { firstStart } from '../../src/services/setup/first-start.ts';
import { openSqliteStore } from '../../src/store/sql/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { type Answer, type Api, apiOf } from './api.ts';

const adminKey = 'mr_a-key-for-tests-that-nothing-else-ever-uses-000';

/** The whole service on files; everything it writes and answers is recorded so that it can be searched. */
export class Installation {
  readonly folder: string;
  readonly store: Store;
  /** Its log, down to `trace`. */
  readonly log: readonly string[];
  /** Every answer of the API, with its headers. */
  readonly answers: string[] = [];
  readonly api: Api;
  readonly #app: App;

  private constructor(folder: string, parts: { store: Store; log: readonly string[]; app: App }) {
    this.folder = folder;
    this.store = parts.store;
    this.log = parts.log;
    this.#app = parts.app;
    this.api = this.#listening(apiOf(parts.app.server, adminKey));
  }

  /** Starts it for the current test, which also stops it. */
  static async start(more: Pick<AppPorts, 'botApi' | 'sshKnownHosts'> = {}): Promise<Installation> {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-installation-'));
    const store = openSqliteStore({ path: join(folder, 'millrace.db') });
    const vault = await unlockVault(keysIn(folder), store.secretKeys);
    await firstStart({ store, givenKey: adminKey, keepKey: () => undefined, at: systemClock.now() });
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    const common = { host: '127.0.0.1', clock: systemClock, timers: systemTimers, random: () => 0.5 };
    const app = createApp({ ...common, ...more, log, store, vault });
    await app.server.listen({ host: '127.0.0.1', port: 0 });
    app.runner.start();
    app.bots.start();
    const installation = new Installation(folder, { store, log: lines, app });
    onTestFinished(() => installation.#close());
    return installation;
  }

  /** The keys of its secrets, as another process would load them. */
  keys(): InstalledKeys {
    return keysIn(this.folder);
  }

  /** The URL of its live events, with a key. */
  get socketUrl(): string {
    const { port } = this.#app.server.server.address() as AddressInfo;
    return `ws://127.0.0.1:${port}/ws/?token=${adminKey}`;
  }

  /** The current bytes of the database file and its write-ahead log. */
  files(): readonly Buffer[] {
    const names = readdirSync(this.folder).filter((name) => name.startsWith('millrace.db'));
    return names.map((name) => readFileSync(join(this.folder, name)));
  }

  #listening(api: Api): Api {
    const keep = async (sent: Promise<Answer>): Promise<Answer> => {
      const answer = await sent;
      this.answers.push(`${JSON.stringify(answer.headers)}\n${answer.text}`);
      return answer;
    };
    return {
      get: (path) => keep(api.get(path)),
      post: (path, body) => keep(api.post(path, body)),
      patch: (path, body) => keep(api.patch(path, body)),
      put: (path, body) => keep(api.put(path, body)),
      delete: (path) => keep(api.delete(path)),
      inject: (options) => keep(api.inject(options)),
    };
  }

  async #close(): Promise<void> {
    this.#app.endWaits();
    await this.#app.server.close();
    await this.#app.bots.stop();
    await this.#app.runner.stop(0);
    await this.#app.close();
    await this.store.close();
    rmSync(this.folder, { recursive: true });
  }
}

function keysIn(folder: string): InstalledKeys {
  return new InstalledKeys(new KeyFile(join(folder, 'secret.key')), null);
}
