import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceProcess, testKey } from '../../packages/server/test/durable/service-process.ts';
import { damageTable } from '../../packages/server/test/support/damaged-table.ts';

interface Sent {
  readonly method?: string;
  readonly body?: unknown;
  readonly text?: string;
}

/** The real service in its own process, with a new database, on a free port of loopback. */
export class Service {
  readonly url: string;
  /** The lines that it printed at its start. */
  readonly printed: readonly string[];
  readonly #dataDir: string;
  #process: ServiceProcess;

  private constructor(process: ServiceProcess, dataDir: string) {
    this.#process = process;
    this.#dataDir = dataDir;
    this.url = process.url;
    this.printed = process.printed;
  }

  static async start(): Promise<Service> {
    const dataDir = mkdtempSync(join(tmpdir(), 'millrace-e2e-'));
    return new Service(await ServiceProcess.start(dataDir), dataDir);
  }

  /** Ends it like a power failure and starts it again with the same data and address. */
  async restart(): Promise<void> {
    await this.#process.kill();
    this.#process = await ServiceProcess.start(this.#dataDir, { MILLRACE_PORT: new URL(this.url).port });
  }

  /** Stops it, damages a table of its database, and starts it again. */
  async restartDamaged(table: string): Promise<void> {
    await this.#process.stop();
    damageTable(join(this.#dataDir, 'millrace.db'), table);
    this.#process = await ServiceProcess.start(this.#dataDir, { MILLRACE_PORT: new URL(this.url).port });
  }

  async stop(): Promise<void> {
    await this.#process.stop();
    rmSync(this.#dataDir, { recursive: true, force: true });
  }

  /** Calls the API as the admin. @throws Error if it answers with an error */
  async call<T>(path: string, { method = 'GET', body, text }: Sent = {}): Promise<T> {
    const content = text ?? (body === undefined ? undefined : JSON.stringify(body));
    const type = text === undefined ? 'application/json' : 'application/yaml';
    const headers = { authorization: `Bearer ${testKey}`, ...(content !== undefined && { 'content-type': type }) };
    const response = await fetch(`${this.url}/api/v1/${path}`, { method, headers, body: content ?? null });
    const answer = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${answer}`);
    return (answer === '' ? null : JSON.parse(answer)) as T;
  }
}

/** The API key of the admin. */
export const adminKey = testKey;
