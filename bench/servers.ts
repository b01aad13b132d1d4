import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A measured server: its address, its CPU time, and how to stop it. */
export interface Running {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

export const benchKey = 'mr_benchmark-key-that-is-thrown-away-with-its-data';

/** The bare `node:http` server in its own process. */
export async function startBare(): Promise<Running> {
  const child = fork(new URL('./bare.ts', import.meta.url));
  const [message] = (await once(child, 'message')) as [{ port: number }];
  return { url: `http://127.0.0.1:${message.port}`, pid: child.pid ?? 0, stop: () => end(child) };
}

/** Millrace as started by `npm start`, with a data directory that is deleted afterwards. */
export async function startMillrace(): Promise<Running> {
  const dataDir = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
  const child = spawn(process.execPath, ['packages/server/src/main.ts'], {
    cwd: new URL('..', import.meta.url),
    env: {
      ...process.env,
      MILLRACE_PORT: '0',
      MILLRACE_DATA_DIR: dataDir,
      MILLRACE_API_KEY: benchKey,
      MILLRACE_LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await addressOf(child);
  const stop = async (): Promise<void> => {
    await end(child);
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { url, pid: child.pid ?? 0, stop };
}

async function addressOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the server has no output');
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\/\/[\w.:[\]-]+\d/.exec(line)?.[0];
    if (url !== undefined) return url;
  }
  throw new Error('the server ended before it was listening');
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
