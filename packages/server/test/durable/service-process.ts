import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The key of every service in these tests. */
export const testKey = 'mr_a-key-for-tests-that-nothing-else-ever-uses-000';

/** The variables of every process, like `npm start` sets them: the cache of compiled code halves the start. */
export const processEnvironment = {
  PATH: process.env.PATH,
  MALLOC_MMAP_THRESHOLD_: '262144',
  MALLOC_TRIM_THRESHOLD_: '262144',
  MALLOC_ARENA_MAX: '2',
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../../../node_modules/.cache/compiled', import.meta.url)),
};

/** The real service in its own process, so that kill -9 ends exactly what a user runs. */
export class ServiceProcess {
  readonly url: string;
  /** Its output since the start. */
  readonly printed: string[];
  /** What it wrote to standard error since the start, in pieces: the lines of its log. */
  readonly logged: string[];
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, { url, printed, logged }: Greeting) {
    this.#child = child;
    this.url = url;
    this.printed = printed;
    this.logged = logged;
  }

  static async start(
    dataDir: string,
    environment: Record<string, string> = {},
    { script, args }: Program = { script: new URL('../../src/main.ts', import.meta.url), args: [] },
  ): Promise<ServiceProcess> {
    const child = spawn(process.execPath, [script.pathname, ...args], {
      env: {
        ...processEnvironment,
        MILLRACE_PORT: '0',
        MILLRACE_DATA_DIR: dataDir,
        MILLRACE_API_KEY: testKey,
        MILLRACE_LOG_LEVEL: 'error',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new ServiceProcess(child, await greetingOf(child));
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('the service does not run');
    return this.#child.pid;
  }

  /** Ends it like a power failure: no handler runs, nothing is flushed. */
  async kill(): Promise<void> {
    const ended = this.ended();
    this.#child.kill('SIGKILL');
    await ended;
  }

  /** Resolves when it has ended, by itself too. */
  async ended(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit');
  }

  /** Stops it; resolves with its exit code. */
  async stop(): Promise<number | null> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return this.#child.exitCode;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
    return this.#child.exitCode;
  }

  async call(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  }
}

/** The script to run. */
interface Program {
  readonly script: URL;
  readonly args: readonly string[];
}

interface Greeting {
  readonly url: string;
  readonly printed: string[];
  readonly logged: string[];
}

/** Waits for the line that shows that the service listens; fails with its error output if it exits before. */
async function greetingOf(child: ChildProcess): Promise<Greeting> {
  if (child.stdout === null || child.stderr === null) throw new Error('the service has no output');
  const logged: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => {
    logged.push(chunk.toString());
  });
  const printed: string[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => printed.push(line));
  const ended = once(child, 'close').then(() => 'ended' as const);
  while ((await Promise.race([once(lines, 'line'), ended])) !== 'ended') {
    const [, url] = /^Millrace listens on (\S+)/m.exec(printed.join('\n')) ?? [];
    // The greeting is written at once: the rest of it has arrived with its first line, or arrives in this turn.
    if (url === undefined) continue;
    await new Promise((resolve) => setImmediate(resolve));
    return { url, printed, logged };
  }
  throw new Error(`exit ${child.exitCode}: ${logged.join('')}`);
}
