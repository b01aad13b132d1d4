import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { InstallLock } from '../../scripts/install-lock.mjs';
import { buildWeb, isWebStale } from '../../scripts/web-build.mjs';

export const root = join(import.meta.dirname, '../..');

/** Builds the web app if its sources changed, once even if several test files need it at the same time. */
export async function buildWebApp(): Promise<void> {
  if (!isWebStale(root)) return;
  const lock = new InstallLock(join(root, '.node/install.lock'));
  await lock.take(() => undefined);
  try {
    if (isWebStale(root)) await buildWeb(root, runNode);
  } finally {
    lock.release();
  }
}

async function runNode(args: string[]): Promise<void> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    // vitest sets another value, with which React would be twice as large.
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk.toString();
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`The web app could not be built: ${complaint}`);
}
